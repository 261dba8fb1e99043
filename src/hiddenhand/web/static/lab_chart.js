// The curves of convergence: nash_conv on a logarithmic axis, over seconds or iterations. A pointer
// over the chart reads the values. Below it are the same numbers as a table.

import { figure, fill, h, label, shape } from "./dom.js";
import { LAB as L } from "./lab_texts.js";
import { recall, remember } from "./memory.js";

const HEIGHT = 320;
const LEFT = 54;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 30;
const COLOURS = 6;
const DASHES = ["", "7 4", "2 4", "9 3 2 3"];

/**
 * @typedef {object} Series a curve
 * @property {string} name
 * @property {{seconds: number, iterations: number, gap: number}[]} points
 */

/** The class and the dashes of a curve. */
export const styleOf = (place) => ({ kind: `c${place % COLOURS}`, dash: DASHES[Math.floor(place / COLOURS) % DASHES.length] });

export class ConvergenceChart {
  constructor() {
    /** @type {Series[]} */
    this.series = [];
    this.pointed = null; // pixels from the left
    this.axis = recall("lab axis") === "iterations" ? "iterations" : "seconds";
    this.scale = recall("lab scale") === "log" ? "log" : "linear";
    this.plot = shape("svg", { class: "plot", role: "img", "aria-label": L.nash });
    this.mark = shape("g", { class: "pointed" });
    this.reading = h("div", { class: "reading" });
    this.reading.hidden = true;
    this.legend = h("ul", { class: "legend" });
    this.rows = h("div", { class: "rows", tabindex: 0, role: "group", "aria-label": L.nash });
    this.details = h("details", { ontoggle: () => this.draw() }, h("summary", {}, L.table), this.rows);
    this.switches = h("div", { class: "row" });
    this.place = h("div", { class: "plotted" }, this.plot, this.reading);
    this.element = h("div", { class: "chart" }, h("div", { class: "row between" }, h("h3", {}, L.nash), this.switches), this.place, this.legend, this.details);
    for (const name of ["pointermove", "pointerdown"]) this.plot.addEventListener(name, (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.point(null));
    new ResizeObserver(() => this.draw()).observe(this.place);
    this.drawSwitches();
  }

  drawSwitches() {
    const segments = (name, values, of, turn) => h("div", { class: "segments", role: "group", "aria-label": name },
      Object.entries(values).map(([value, words]) => h("button", { type: "button", "aria-pressed": of === value ? "true" : "false", onclick: () => turn(value) }, words)));
    const turn = (what) => (value) => {
      this[what] = value;
      remember(`lab ${what}`, value);
      this.drawSwitches();
      this.draw();
    };
    fill(this.switches, segments(L.axis, L.axes, this.axis, turn("axis")), segments(L.scale, L.scales, this.scale, turn("scale")));
  }

  /** @param {Series[]} series */
  show(series) {
    this.series = series;
    this.element.hidden = series.every(({ points }) => points.length < 2);
    fill(this.legend, series.map(({ name }, place) => h("li", {}, swatch(place), name)));
    this.draw();
  }

  /** The points that can be drawn: a logarithmic axis has no 0. */
  pointsOf({ points }) {
    return points.map((point) => [point[this.axis], point.gap]).filter(([x]) => Number.isFinite(x) && (x > 0 || this.scale === "linear"));
  }

  draw() {
    const width = this.plot.clientWidth;
    const drawn = this.series.map((one) => this.pointsOf(one));
    const all = drawn.flat();
    const gaps = all.map(([, gap]) => gap).filter((gap) => gap > 0);
    if (!width || !gaps.length) return;
    this.plot.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.plot.setAttribute("height", HEIGHT);
    const low = Math.floor(Math.log10(Math.min(...gaps)));
    const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...gaps))));
    const late = Math.max(...all.map(([x]) => x)) || 1;
    const early = this.scale === "log" ? Math.min(...all.map(([x]) => x)) : 0;
    const part = this.scale === "log" ? (x) => Math.log(x / early) / (Math.log(late / early) || 1) : (x) => x / late;
    this.at = {
      width, drawn, early, late,
      x: (value) => LEFT + (width - LEFT - RIGHT) * part(value),
      y: (gap) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - Math.log10(Math.max(gap, 10 ** low)))) / (high - low),
    };
    this.plot.replaceChildren(...this.grid(low, high), ...this.curves(), this.mark);
    this.read();
    if (this.details.open) this.fillRows();
  }

  grid(low, high) {
    const { x, y, width, early, late } = this.at;
    const parts = [];
    const step = Math.ceil((high - low) / 7);
    for (let power = low; power <= high; power += step) {
      parts.push(shape("path", { class: "grid", d: `M${LEFT} ${y(10 ** power)}H${width - RIGHT}` }));
      parts.push(label(LEFT - 7, y(10 ** power) + 4, "end", power > -3 && power < 4 ? figure(10 ** power) : `1e${power}`));
    }
    const unit = this.axis === "seconds" ? " s" : "";
    for (const value of this.scale === "log" ? powers(early, late) : ticks(late)) {
      parts.push(shape("path", { class: "grid", d: `M${x(value)} ${TOP}V${HEIGHT - BOTTOM}` }));
      parts.push(label(x(value), HEIGHT - 10, "middle", `${short(value)}${unit}`));
    }
    parts.push(shape("path", { class: "axis", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${width - RIGHT}` }));
    return parts;
  }

  curves() {
    const { x, y, drawn } = this.at;
    return drawn.map((points, place) => {
      const { kind, dash } = styleOf(place);
      const way = points.map(([time, gap], first) => `${first ? "L" : "M"}${x(time).toFixed(1)} ${y(gap).toFixed(1)}`);
      return shape("path", { class: kind, d: way.join(""), ...(dash ? { "stroke-dasharray": dash } : {}) });
    });
  }

  /** The pointer is over the chart, or has left it. */
  point(event) {
    this.pointed = event && event.clientX - this.plot.getBoundingClientRect().left;
    this.read();
  }

  /** Read the values below the pointer: of each curve the last point up to there. */
  read() {
    this.mark.replaceChildren();
    this.reading.hidden = this.pointed === null || !this.at;
    if (this.reading.hidden) return;
    const { x, y, drawn, width } = this.at;
    const wanted = Math.max(LEFT, Math.min(width - RIGHT, this.pointed));
    const found = drawn.map((points) => points.findLast(([value]) => x(value) <= wanted + 0.5));
    const last = found.filter(Boolean).reduce((one, [value]) => Math.max(one, value), -Infinity);
    if (!Number.isFinite(last)) {
      this.reading.hidden = true;
      return;
    }
    this.mark.append(shape("path", { class: "pointer", d: `M${wanted} ${TOP}V${HEIGHT - BOTTOM}` }));
    found.forEach((point, place) => {
      if (point) this.mark.append(shape("circle", { class: styleOf(place).kind, cx: x(point[0]), cy: y(point[1]), r: 4 }));
    });
    fill(this.reading, h("strong", {}, `${short(last)} ${L.axes[this.axis].toLowerCase()}`),
      h("ul", { class: "legend" }, this.series.map(({ name }, place) => (found[place] ? h("li", {}, swatch(place), `${name}: ${figure(found[place][1])}`) : null))));
    this.reading.style.left = wanted > width / 2 ? "" : `${wanted + 14}px`;
    this.reading.style.right = wanted > width / 2 ? `${width - wanted + 14}px` : "";
  }

  fillRows() {
    fill(this.rows, h("table", {},
      h("caption", { class: "hidden-text" }, L.nash),
      h("thead", {}, h("tr", {}, [L.search, L.took, L.iterations, "nash_conv"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, this.series.flatMap(({ name, points }) => points.map((point) => h("tr", {},
        h("td", {}, name), h("td", {}, point.seconds.toFixed(2)), h("td", {}, figure(point.iterations)), h("td", {}, figure(point.gap))))))));
  }
}

function swatch(place) {
  const { kind, dash } = styleOf(place);
  const line = shape("svg", { class: "swatch", width: 26, height: 8, "aria-hidden": "true" });
  line.append(shape("path", { class: kind, d: "M1 4H25", ...(dash ? { "stroke-dasharray": dash } : {}) }));
  return line;
}

/** A number beside an axis: 0.25, 2,000, 1.5M. */
function short(value) {
  return Math.abs(value) >= 10_000 ? new Intl.NumberFormat("en", { notation: "compact" }).format(value) : figure(Number(value.toPrecision(4)));
}

/** Some round values up to the last. */
function ticks(late) {
  const rough = late / 6;
  const scale = 10 ** Math.floor(Math.log10(rough));
  const step = scale * ([1, 2, 5, 10].find((factor) => factor * scale >= rough) ?? 10);
  const found = [];
  for (let value = step; value <= late * 0.96; value += step) found.push(Number(value.toPrecision(6)));
  return found;
}

/** The powers of ten from the first value to the last; of few powers also twice and five times. */
function powers(early, late) {
  const low = Math.floor(Math.log10(early));
  const high = Math.ceil(Math.log10(late));
  const step = Math.ceil((high - low) / 8);
  const found = [];
  for (let power = low; power <= high; power += step) {
    for (const factor of high - low <= 2 ? [1, 2, 5] : [1]) found.push(Number((factor * 10 ** power).toPrecision(6)));
  }
  return found.filter((value) => value >= early && value <= late);
}
