// Saves results: tables as CSV, charts as SVG and PNG files that look the same everywhere.

import { download, h, label, shape } from "./dom.js";
import { scoresOf } from "./lab_results.js";

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "text-anchor"];
const SVG = "image/svg+xml";
const LINE = 20; // pixels of a line of the legend
const DENSITY = 2; // pixels of a PNG file for a pixel of the page

/** A row of a CSV file (RFC 4180). */
function row(values) {
  return values.map((value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value))).join(",");
}

function saveRows(name, rows) {
  download(`${rows.map(row).join("\n")}\n`, `${name}.csv`, "text/csv");
}

const plain = (value) => (Number.isFinite(value) ? value : "");

/** @param {ReturnType<typeof import("./lab_results.js").seriesOf>} series */
export function saveSeries(series) {
  const rows = series.flatMap(({ run, player, points }) => points.map((point) =>
    [run.game, player, run.seed, point.seconds, plain(point.iterations), plain(point.sets), point.gap]));
  saveRows("convergence", [["game", "search", "seed", "seconds", "iterations", "information_sets", "nash_conv"], ...rows]);
}

/** @param {import("./lab_results.js").Run} run a tournament */
export function saveScores(run) {
  const { scores } = scoresOf(run);
  const rows = [...scores.entries()].map(([key, score]) => {
    const [own, other] = key.split(" ").map(Number);
    return [run.game, run.players[own], run.players[other], score.matches, score.mean, score.low ?? "", score.high ?? ""];
  });
  saveRows("tournament", [["game", "bot", "against", "matches", "mean", "low", "high"], ...rows]);
}

/** Save a chart as an SVG file. @param {Parameters<typeof chartOf>} chart */
export function saveChart(...chart) {
  download(chartOf(...chart).text, "convergence.svg", SVG);
}

/** Save a chart as a PNG file. @param {Parameters<typeof chartOf>} chart */
export async function savePicture(...chart) {
  const { text, width, height } = chartOf(...chart);
  const image = new Image(DENSITY * width, DENSITY * height);
  image.src = URL.createObjectURL(new Blob([text], { type: SVG }));
  try {
    await image.decode();
    const canvas = h("canvas", { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, image.width, image.height);
    canvas.toBlob((blob) => download(blob, "convergence.png", "image/png"));
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

/**
 * A chart with its legend as the text of an SVG file, in the colours of the page, and its size in pixels.
 * @param {SVGElement} plot
 * @param {{name: string}[]} series
 * @param {(place: number) => {kind: string, dash: string}} styleOf
 */
function chartOf(plot, series, styleOf) {
  const width = plot.clientWidth;
  const height = Number(plot.getAttribute("height"));
  const copy = /** @type {SVGElement} */ (plot.cloneNode(true));
  const originals = [...plot.querySelectorAll("*")];
  copy.querySelectorAll("*").forEach((element, place) => style(element, originals[place]));
  const all = height + LINE * series.length + 8;
  for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height: all, viewBox: `0 0 ${width} ${all}` })) copy.setAttribute(name, String(value));
  const { backgroundColor, color } = getComputedStyle(plot.closest(".card"));
  copy.prepend(shape("rect", { width, height: all, fill: backgroundColor }));
  series.forEach(({ name }, place) => {
    const y = height + LINE * (place + 0.5);
    const { kind, dash } = styleOf(place);
    const line = shape("path", { d: `M54 ${y}h26`, "stroke-width": 2, ...(dash ? { "stroke-dasharray": dash } : {}) });
    line.setAttribute("stroke", getComputedStyle(plot.querySelector(`path.${kind}`) ?? plot).stroke);
    const words = label(90, y + 4, "start", name);
    for (const [key, value] of Object.entries({ fill: color, "font-size": 13, "font-family": "sans-serif" })) words.setAttribute(key, String(value));
    copy.append(line, words);
  });
  return { text: new XMLSerializer().serializeToString(copy), width, height: all };
}

function style(element, original) {
  const computed = getComputedStyle(original);
  for (const name of STYLES) element.setAttribute(name, computed.getPropertyValue(name));
  element.removeAttribute("class");
}
