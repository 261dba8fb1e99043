// The lab: how fast searches approach an equilibrium, and tournaments. Experiments continue when the
// page is closed, and stay in its list. The page shows one of them, and may show others of
// convergence in the same chart.

import { fill, focusedName, h } from "./dom.js";
import { ConvergenceChart, styleOf } from "./lab_chart.js";
import { LabForm } from "./lab_form.js";
import { convergenceTable, heatMap, nothingYet, seriesOf } from "./lab_results.js";
import { saveChart, savePicture, saveScores, saveSeries } from "./lab_save.js";
import { Link } from "./link.js";
import { LAB as L } from "./lab_texts.js";
import { S } from "./strings.js";
import { makeTop, notify } from "./top.js";

const main = document.getElementById("main");
let page = null;
let shown = ""; // the name of the experiment that the page shows
const others = new Set(); // those in the same chart
const runs = new Map(); // what is known of experiments, by name
let drawing = false;

makeTop();
fill(main, h("p", { class: "soft pulse" }, S.link.loading));

const link = new Link({}, take, (state) => {
  if (state === "lost" && page) notify(S.link.lost);
});

const TAKEN = {
  lobby: (frame) => {
    page ??= makePage(frame);
    link.say({ type: "lab" });
    const asked = location.hash.slice(1);
    if (asked) link.say({ type: "lab_look", run: asked });
    for (const run of others) link.say({ type: "lab_look", run, also: true });
  },
  lab: (frame) => showList(frame.runs),
  lab_opened: (frame) => look(frame.run),
  lab_refused: (frame) => page.form.refuse(frame),
  lab_run: (frame) => show(frame),
  lab_event: (frame) => added(frame),
  refused: (frame) => notify(frame.why, "refused"),
};

function take(frame) {
  TAKEN[frame.type]?.(frame);
}

/** Show an experiment alone. */
function look(name) {
  others.clear();
  shown = name;
  page.found.setAttribute("aria-busy", "true");
  history.replaceState(null, "", `#${name}`);
  link.say({ type: "lab_look", run: name });
}

/** Show another experiment of convergence in the same chart, or no longer. */
function overlay(name, isOn) {
  if (isOn) others.add(name);
  else others.delete(name);
  link.say(isOn ? { type: "lab_look", run: name, also: true } : { type: "lab_away", run: name });
  drawSoon();
}

// --- the page ---

function makePage(lobby) {
  const made = {
    form: new LabForm((message) => link.say(message)),
    runs: h("ol", { class: "runs", reversed: true }),
    none: h("p", { class: "soft small" }, L.none),
    chart: new ConvergenceChart(),
    heading: h("h2", {}),
    status: h("p", { class: "soft small", role: "status", "aria-live": "polite" }),
    results: h("div", {}),
    stop: h("button", { type: "button", onclick: () => link.say({ type: "lab_stop", run: shown }) }, L.stop),
    forget: h("button", { type: "button", class: "quiet", onclick: forget }, L.forget),
    csv: h("button", { type: "button", class: "small", onclick: saveCsv }, L.csv),
    svg: h("button", { type: "button", class: "small", onclick: () => saveChart(page.chart.plot, chosenSeries(), styleOf) }, L.svg),
    png: h("button", { type: "button", class: "small", onclick: () => savePicture(page.chart.plot, chosenSeries(), styleOf) }, L.png),
  };
  made.save = h("div", { class: "row", role: "group", "aria-label": L.save }, h("span", { class: "soft small" }, L.save), made.csv, made.svg, made.png);
  made.found = h("section", { class: "card panel found", "aria-label": L.found });
  nothingYet(made.found);
  made.lab = h("div", { class: "lab" },
    h("div", { class: "stack" },
      h("section", { class: "card panel" }, h("h2", {}, L.begin), made.form.element),
      h("section", { class: "card panel" }, h("h2", {}, L.runs), made.none, made.runs)),
    made.found);
  fill(main,
    h("div", { class: "heading" }, h("h1", {}, L.title), h("p", { class: "soft" }, L.lead)),
    made.lab,
    h("datalist", { id: "games" }, lobby.games.map((game) => h("option", { value: game.game }, game.name))),
    h("datalist", { id: "bots" }, [...new Set(["cfr", "cfr+", "lcfr", "dcfr", ...lobby.bots.map((bot) => bot.player)])].map((value) => h("option", { value }))));
  return made;
}

function showList(list) {
  page.list = list;
  page.none.hidden = list.length > 0;
  const isCurve = runs.get(shown)?.kind === "convergence";
  const focused = focusedName(page.runs);
  fill(page.runs, list.map((one) => h("li", {},
    h("button", { type: "button", "data-name": `look ${one.run}`, "aria-current": one.run === shown ? "true" : "false", onclick: () => look(one.run) },
      h("span", { class: "name" }, `${one.game}: ${one.players.join(", ")}`), h("span", { class: "soft small" }, L.states[one.state])),
    isCurve && one.run !== shown && one.kind === "convergence" ? h("label", { class: "overlay" },
      h("input", { type: "checkbox", "data-name": `overlay ${one.run}`, checked: others.has(one.run), "aria-label": L.overlaid(one), onchange: (event) => overlay(one.run, event.currentTarget.checked) }), L.overlay) : null)));
  if (focused) page.runs.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

// --- results ---

function show(frame) {
  runs.set(frame.run, { ...frame, compiled: 0 });
  if (!others.has(frame.run)) shown = frame.run;
  if (frame.run === shown) {
    page.found.removeAttribute("aria-busy");
    const { heading, status, results, stop, forget: remove, chart, save } = page;
    fill(heading, L.heading[frame.kind](frame));
    fill(page.found, h("div", { class: "row between" }, heading, h("div", { class: "row" }, stop, remove)), status,
      frame.kind === "convergence" ? chart.element : null, results, save);
    page.lab.classList.add("has-results");
  }
  if (page.list) showList(page.list);
  draw();
}

function forget() {
  link.say({ type: "lab_forget", run: shown });
  shown = "";
  others.clear();
  history.replaceState(null, "", location.pathname);
  page.lab.classList.remove("has-results");
  nothingYet(page.found);
}

function added(frame) {
  const run = runs.get(frame.run);
  if (!run) return;
  const { event } = frame;
  if (event.event === "state") Object.assign(run, { state: event.state, why: event.why });
  else if (event.event === "compiling") run.compiled += 1;
  else run.events.push(event);
  drawSoon();
}

function drawSoon() {
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    draw();
  }, 60);
}

function draw() {
  const run = runs.get(shown);
  if (!run) return;
  const goesOn = run.state === "waiting" || run.state === "working";
  const what = run.state === "working" ? working(run) : L.states[run.state];
  fill(page.status, run.why ? `${what}: ${run.why}` : what);
  page.status.classList.toggle("pulse", goesOn);
  page.stop.hidden = !goesOn;
  page.forget.hidden = goesOn;
  const isCurve = run.kind === "convergence";
  for (const button of [page.svg, page.png]) button.hidden = !isCurve;
  if (isCurve) {
    const series = chosenSeries();
    page.chart.show(series);
    fill(page.results, convergenceTable(series));
  } else fill(page.results, heatMap(run, run.unit));
  page.save.hidden = !run.events.some((event) => event.event === "point" || event.event === "score");
}

/** The curves of all experiments in the chart. */
function chosenSeries() {
  return seriesOf([shown, ...others].map((name) => runs.get(name)).filter(Boolean));
}

function saveCsv() {
  const run = runs.get(shown);
  if (run.kind === "convergence") saveSeries(chosenSeries());
  else saveScores(run);
}

function working(run) {
  const last = run.events.at(-1);
  if (last?.event === "preparing" || !last) return run.compiled ? L.compiling(run.compiled) : L.preparing;
  return L.states.working;
}
