// How a search got to its strategy: one chart over time, of the strategy, the payoffs, the regrets or
// nash_conv. Lines of a second search are dashed. The chart is a table too.

import { fill, figure, h, label, percent, shape } from "./dom.js";
import { T } from "./texts.js";

const E = T.engine;
const WIDTH = 352;
const HEIGHT = 190;
const LEFT = 44;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const COLOURS = 6;
const MOST_ROWS = 40; // of the table below the chart
const LEAST = 1e-9; // of a logarithmic axis
const RANGE = 1e-4; // how far down such an axis goes, as a part of the largest value

/** @typedef {{done: number, names: string[], policy: number[], ev?: (number | null)[], regrets?: number[], nash_conv?: number}} Report */
/** @typedef {{name: string, colour: number, second: boolean, points: [number, number][]}} Line */

export class Course {
  /** @param {string} unit the unit of payoffs @param {() => void} onExact called when nash_conv is wanted */
  constructor(unit, onExact) {
    this.unit = unit;
    this.onExact = onExact;
    this.kind = "policy";
    this.isSmall = false; // whether nash_conv can be measured
    /** @type {Report[][]} */
    this.reports = [[], []];
    this.kinds = h("div", { class: "segments", role: "group", "aria-label": E.curvesOf });
    this.plot = shape("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.read = h("p", { class: "soft small read", "aria-live": "off" }, E.hover);
    this.legend = h("ul", { class: "legend" });
    this.rows = h("div", { class: "rows", tabindex: 0, role: "region", "aria-label": E.table });
    this.details = h("details", { class: "as-table" }, h("summary", {}, E.table), this.rows);
    this.details.addEventListener("toggle", () => this.drawRows());
    this.element = h("div", { class: "stack" }, this.kinds, this.plot, this.read, this.legend, this.details);
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.unpoint());
  }

  /** @param {Report[]} first @param {Report[]} second reports of a second search */
  show(first, second) {
    this.reports = [first, second];
    this.draw();
  }

  /** @param {string} kind */
  choose(kind) {
    this.kind = kind;
    if (kind === "nash_conv") this.onExact();
    this.draw();
  }

  draw() {
    const [first] = this.reports;
    const last = first[first.length - 1];
    const offered = Object.keys(E.curves).filter((kind) => kind === "policy" || (kind === "nash_conv" ? this.isSmall : last?.[kind]));
    const kind = offered.includes(this.kind) ? this.kind : "policy";
    fill(this.kinds, offered.map((name) => h("button", { type: "button", class: "small", "aria-pressed": String(name === kind), onclick: () => this.choose(name) }, E.curves[name])));
    this.lines = last ? this.reports.flatMap((reports, second) => linesOf(reports, kind, top(last), Boolean(second))) : [];
    this.plot.setAttribute("aria-label", E.chart(E.curves[kind]));
    this.scale = scaleOf(this.lines, kind);
    this.drawn = kind;
    fill(this.plot, frame(this.scale, kind), this.lines.map((line) => path(line, this.scale)), this.cursor = shape("path", { class: "cursor", d: "" }));
    fill(this.legend, kind === "nash_conv" ? h("li", { class: "wide" }, E.nashLead) : this.lines.filter((line) => !line.second).map(({ name, colour }) => h("li", {}, h("span", { class: `c${colour}` }), name)),
      this.reports[1].length ? [h("li", {}, h("span", { class: "solid" }), E.first), h("li", {}, h("span", { class: "dashed" }), E.other)] : []);
    this.drawRows();
  }

  drawRows() {
    if (!this.details.open) return;
    const { lines } = this;
    const times = [...new Set(lines.flatMap(({ points }) => points.map(([time]) => time)))].sort((one, other) => one - other);
    const step = Math.max(1, Math.ceil(times.length / MOST_ROWS));
    const kept = times.filter((_, place) => place % step === 0 || place === times.length - 1);
    const heads = lines.map(({ name, second }) => (this.reports[1].length ? `${name}, ${second ? E.other : E.first}` : name));
    fill(this.rows, h("table", {}, h("caption", { class: "hidden-text" }, E.chart(E.curves[this.drawn])),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, E.seconds_), heads.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, kept.map((time) => h("tr", {}, h("th", { scope: "row" }, time.toFixed(2)), lines.map((line) => h("td", {}, written(at(line, time), this.drawn))))))));
  }

  /** Read out the values below the pointer. @param {PointerEvent} event */
  point(event) {
    if (!this.lines?.length) return;
    const box = this.plot.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const time = Math.max(0, Math.min(this.scale.late, ((x - LEFT) / (WIDTH - LEFT - RIGHT)) * this.scale.late));
    this.cursor.setAttribute("d", `M${this.scale.x(time).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}`);
    const said = this.lines.map((line) => `${line.name}${line.second ? ` (${E.other})` : ""} ${written(at(line, time), this.drawn)}`);
    fill(this.read, `${time.toFixed(1)} s: ${said.join(" · ")}`);
  }

  unpoint() {
    this.cursor?.setAttribute("d", "");
    fill(this.read, E.hover);
  }
}

/** The moves whose curves are drawn: the likeliest ones, in the order of the game. @param {Report} last */
function top(last) {
  const places = last.names.map((_, place) => place).sort((one, other) => last.policy[other] - last.policy[one]);
  return places.slice(0, COLOURS).sort((one, other) => one - other).map((place) => last.names[place]);
}

/** @returns {Line[]} */
function linesOf(reports, kind, moves, second) {
  if (kind === "nash_conv") {
    const points = reports.filter((report) => Number.isFinite(report.nash_conv)).map((report) => [report.done, report.nash_conv]);
    return points.length ? [{ name: E.curves.nash_conv, colour: 0, second, points }] : [];
  }
  const told = reports.filter((report) => report[kind]);
  return moves.map((name, colour) => ({
    name, colour, second,
    points: told.map((report) => [report.done, report[kind][report.names.indexOf(name)]]).filter(([, value]) => Number.isFinite(value)),
  })).filter((line) => line.points.length);
}

/** The last value of a line at a time. @param {Line} line @param {number} time */
function at(line, time) {
  let found = NaN;
  for (const [when, value] of line.points) if (when <= time + 1e-9) found = value;
  return found;
}

/** The axes for lines: where times and values lie, and the marks beside the value axis. */
function scaleOf(lines, kind) {
  const points = lines.flatMap((line) => line.points);
  const late = Math.max(...points.map(([time]) => time), 0.1);
  const values = points.map(([, value]) => value);
  const log = kind === "nash_conv";
  const ticks = kind === "policy" ? quarters(values) : log ? decades(values) : round(values);
  const height = log ? (value) => Math.log10(Math.max(value, LEAST)) : (value) => value;
  const [low, high] = [height(ticks[0]), height(ticks[ticks.length - 1])];
  const x = (time) => LEFT + ((WIDTH - LEFT - RIGHT) * time) / late;
  const y = (value) => TOP + (HEIGHT - BOTTOM - TOP) * (1 - (Math.max(height(value), low) - low) / (high - low || 1));
  return { late, ticks, x, y };
}

/** Quarters from 0 to above all values. @param {number[]} values */
function quarters(values) {
  const most = Math.max(0.25, Math.ceil(4 * Math.max(...values, 0) - 1e-9) / 4);
  return Array.from({ length: 4 * most + 1 }, (_, place) => place / 4);
}

/** Powers of ten around all values. @param {number[]} values */
function decades(values) {
  const found = values.length ? values : [1];
  const most = Math.max(...found, LEAST);
  const low = Math.floor(Math.log10(Math.max(Math.min(...found), most * RANGE)));
  const high = Math.max(Math.ceil(Math.log10(most)), low + 1);
  return Array.from({ length: high - low + 1 }, (_, place) => 10 ** (low + place));
}

/** Round numbers around all values and 0. @param {number[]} values */
function round(values) {
  const [least, most] = [Math.min(...values, 0), Math.max(...values, 0)];
  const rough = (most - least || 1) / 4;
  const base = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * base).find((size) => size >= rough);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(Math.ceil(most / step - 1e-9), first + 1);
  return Array.from({ length: last - first + 1 }, (_, place) => (first + place) * step);
}

/** The axes, the grid and the line at 0. */
function frame({ late, ticks, x, y }, kind) {
  const parts = ticks.flatMap((value) => [
    shape("path", { class: value === 0 ? "zero" : "grid", d: `M${LEFT} ${y(value).toFixed(1)}H${WIDTH - RIGHT}` }),
    label(LEFT - 6, y(value) + 4, "end", kind === "policy" ? `${100 * value}%` : short(value)),
  ]);
  for (const time of [0, late / 2, late]) parts.push(label(x(time), HEIGHT - 7, time === late ? "end" : time ? "middle" : "start", `${time.toFixed(1)} s`));
  return parts;
}

/** @param {Line} line */
function path({ colour, second, points }, { x, y }) {
  const way = points.map(([time, value], place) => `${place ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`);
  if (points.length === 1) way.push(`H${WIDTH - RIGHT}`);
  return shape("path", { class: `line c${colour}${second ? " dashed" : ""}`, d: way.join("") });
}

/** @param {number} value */
function written(value, kind) {
  return !Number.isFinite(value) ? "–" : kind === "policy" ? percent(value) : figure(value);
}

/** A number beside an axis: 12K, 1.2M, 0.04. @param {number} value */
function short(value) {
  return Math.abs(value) >= 1000 ? new Intl.NumberFormat("en", { notation: "compact" }).format(value) : figure(Number(value.toPrecision(2)));
}
