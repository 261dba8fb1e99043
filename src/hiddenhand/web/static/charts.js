// Bars and curves. Bars are a table that looks like bars; curves have a table below them.

import { fill, figure, h, label, percent, shape } from "./dom.js";
import { S } from "./strings.js";

const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 36;
const BOTTOM = 18;
const COLOURS = 6;
const MOST_ROWS = 40; // of the table below a curve

/** A chart of bars. entries: [{name, p}]. */
export function bars(title, heading, kind = "") {
  const body = h("tbody");
  const note = h("p", { class: "soft" });
  const table = h("table", { class: "bars" },
    h("caption", { class: "hidden-text" }, title),
    h("thead", { class: "hidden-text" }, h("tr", {}, h("th", { scope: "col" }, heading), h("th", { scope: "col" }, S.think.bar), h("th", { scope: "col" }, S.think.probability))),
    body);
  const element = h("div", { class: `chart ${kind}` }, h("h3", {}, title), table, note);
  element.hidden = true;
  return {
    element,
    show(entries, said = "") {
      element.hidden = !entries.length;
      fill(body, entries.map(({ name, p }) => {
        const bar = h("div");
        bar.style.width = `${100 * p}%`;
        return h("tr", {}, h("th", { scope: "row" }, name), h("td", { "aria-hidden": "true" }, h("div", { class: "bar" }, bar)), h("td", { class: "value" }, percent(p)));
      }));
      fill(note, said);
    },
  };
}

/** Curves over time. show(names, points): points are [time, [a value for each name]]. */
export function curves(title, { most = null, log = false, lead = "" } = {}) {
  const plot = shape("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  const legend = h("ul", { class: "legend" });
  const rows = h("div", { class: "rows", tabindex: 0, role: "group", "aria-label": title });
  const details = h("details", {}, h("summary", {}, S.think.table), rows);
  const element = h("div", { class: "chart" }, h("h3", {}, title), lead ? h("p", { class: "soft small" }, lead) : null, plot, legend, details);
  element.hidden = true;
  let last = null;
  details.addEventListener("toggle", () => last && fillRows(rows, details, title, ...last));
  return {
    element,
    show(names, points) {
      element.hidden = points.length < 2;
      if (element.hidden) return;
      last = [names, points];
      draw(plot, names, points, most, log);
      fill(legend, names.length > 1 ? names.slice(0, COLOURS).map((name, place) => h("li", {}, h("span", { class: `c${place}` }), name)) : []);
      fillRows(rows, details, title, names, points);
    },
  };
}

function fillRows(rows, details, title, names, points) {
  if (!details.open) return;
  const step = Math.max(1, Math.ceil(points.length / MOST_ROWS));
  const shown = points.filter((_, place) => place % step === 0 || place === points.length - 1);
  fill(rows, h("table", {},
    h("caption", { class: "hidden-text" }, title),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, S.think.seconds_), names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, shown.map(([time, values]) => h("tr", {}, h("td", {}, time.toFixed(2)), values.map((value) => h("td", {}, figure(value))))))));
}

function draw(plot, names, points, most, log) {
  const values = points.flatMap(([, found]) => found).filter(Number.isFinite);
  const height = log ? (value) => Math.log10(Math.max(value, 1e-9)) : (value) => value;
  const high = most ?? height(Math.max(...values, 1e-9));
  const low = Math.min(...values.map(height), ...(log ? [] : [0]));
  const span = high - low || 1;
  const late = points[points.length - 1][0] || 1;
  const x = (time) => LEFT + ((WIDTH - LEFT - 4) * time) / late;
  const y = (value) => 8 + (HEIGHT - BOTTOM - 8) * (1 - (height(value) - low) / span);
  const parts = [
    shape("path", { class: "axis", d: `M${LEFT} 8V${HEIGHT - BOTTOM}H${WIDTH - 4}` }),
    label(LEFT - 4, 14, "end", log ? short(10 ** high) : short(high)),
    label(LEFT - 4, HEIGHT - BOTTOM, "end", short(log ? 10 ** low : low)),
    label(WIDTH - 4, HEIGHT - 4, "end", `${late.toFixed(1)} s`),
  ];
  for (let place = 0; place < Math.min(names.length, COLOURS); place += 1) {
    const way = points
      .filter(([, found]) => Number.isFinite(found[place]))
      .map(([time, found], first) => `${first ? "L" : "M"}${x(time).toFixed(1)} ${y(found[place]).toFixed(1)}`);
    parts.push(shape("path", { class: `c${place}`, d: way.join("") }));
  }
  plot.replaceChildren(...parts);
}

/** A number beside an axis: 12K, 1.2M, 0.04. */
function short(value) {
  return Math.abs(value) >= 1000 ? new Intl.NumberFormat("en", { notation: "compact" }).format(value) : figure(Number(value.toPrecision(2)));
}
