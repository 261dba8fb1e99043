// The curve of convergence: nash_conv on a logarithmic axis, over time. Below it are the same
// numbers as a table.

import { figure, fill, h, label, shape } from "./dom.js";
import { S } from "./strings.js";

const HEIGHT = 300;
const LEFT = 54;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 28;
const COLOURS = 6;

/** show(names, series): series are lists of [seconds, nash_conv], one for each name. */
export function convergenceChart(title) {
  const plot = shape("svg", { class: "plot", role: "img", "aria-label": title });
  const legend = h("ul", { class: "legend" });
  const rows = h("div", { class: "rows", tabindex: 0, role: "group", "aria-label": title });
  const details = h("details", {}, h("summary", {}, S.think.table), rows);
  const element = h("div", { class: "chart" }, h("h3", {}, title), plot, legend, details);
  let shown = null;
  const redraw = () => {
    if (!shown || !plot.clientWidth) return;
    draw(plot, shown.series);
    if (details.open) fillRows(rows, title, shown);
  };
  details.addEventListener("toggle", redraw);
  new ResizeObserver(redraw).observe(element);
  return {
    element,
    show(names, series) {
      shown = { names, series };
      element.hidden = series.every((points) => points.length < 2);
      fill(legend, names.slice(0, COLOURS).map((name, place) => h("li", {}, h("span", { class: `c${place}` }), name)));
      redraw();
    },
  };
}

function draw(plot, series) {
  const width = plot.clientWidth;
  plot.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  plot.setAttribute("height", HEIGHT);
  const all = series.flat();
  const gaps = all.map(([, gap]) => gap).filter((gap) => gap > 0);
  if (!gaps.length) return;
  const low = Math.floor(Math.log10(Math.min(...gaps)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...gaps))));
  const late = Math.max(...all.map(([time]) => time)) || 1;
  const x = (time) => LEFT + ((width - LEFT - RIGHT) * time) / late;
  const y = (gap) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - Math.log10(Math.max(gap, 10 ** low)))) / (high - low);
  const parts = [];
  const step = Math.ceil((high - low) / 7);
  for (let power = low; power <= high; power += step) {
    parts.push(shape("path", { class: "grid", d: `M${LEFT} ${y(10 ** power)}H${width - RIGHT}` }));
    parts.push(label(LEFT - 7, y(10 ** power) + 4, "end", power > -3 && power < 4 ? figure(10 ** power) : `1e${power}`));
  }
  for (const time of ticks(late)) {
    parts.push(shape("path", { class: "grid", d: `M${x(time)} ${TOP}V${HEIGHT - BOTTOM}` }));
    parts.push(label(x(time), HEIGHT - 9, "middle", `${figure(time)} s`));
  }
  parts.push(shape("path", { class: "axis", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${width - RIGHT}` }));
  series.slice(0, COLOURS).forEach((points, place) => {
    const way = points.map(([time, gap], first) => `${first ? "L" : "M"}${x(time).toFixed(1)} ${y(gap).toFixed(1)}`);
    parts.push(shape("path", { class: `c${place}`, d: way.join("") }));
  });
  plot.replaceChildren(...parts);
}

/** Some round times up to the last. */
function ticks(late) {
  const rough = late / 6;
  const scale = 10 ** Math.floor(Math.log10(rough));
  const step = scale * ([1, 2, 5, 10].find((factor) => factor * scale >= rough) ?? 10);
  const found = [];
  for (let time = step; time <= late * 0.96; time += step) found.push(Number(time.toPrecision(6)));
  return found;
}

function fillRows(rows, title, { names, series }) {
  fill(rows, h("table", {},
    h("caption", { class: "hidden-text" }, title),
    h("thead", {}, h("tr", {}, [S.lab.search, S.think.seconds_, "nash_conv"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, series.flatMap((points, place) => points.map(([time, gap]) => h("tr", {}, h("td", {}, names[place]), h("td", {}, time.toFixed(2)), h("td", {}, figure(gap))))))));
}
