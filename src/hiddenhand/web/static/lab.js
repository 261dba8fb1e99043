// The lab: how fast searches approach an equilibrium, and tournaments. Experiments continue when the
// page is closed, and stay in its list.

import { figure, fill, h, newId, signed } from "./dom.js";
import { convergenceChart } from "./lab_chart.js";
import { Link } from "./link.js";
import { S } from "./strings.js";
import { makeTop, notify } from "./top.js";

const L = S.lab;
const MOST = { convergence: 4, tournament: 6 };
const USUAL = {
  convergence: ["cfr+", "oos", "smooth-uct"],
  tournament: ["random", "ismcts", "oos(targeting=ist)"],
};
const main = document.getElementById("main");
let page = null;
let run = null; // the experiment that the page shows
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
  },
  lab: (frame) => showList(frame.runs),
  lab_opened: (frame) => look(frame.run),
  lab_run: (frame) => show(frame),
  lab_event: (frame) => added(frame),
  refused: (frame) => notify(frame.why, "refused"),
};

function take(frame) {
  TAKEN[frame.type]?.(frame);
}

function look(name) {
  history.replaceState(null, "", `#${name}`);
  link.say({ type: "lab_look", run: name });
}

// --- the page ---

function makePage(lobby) {
  const made = { form: makeForm(lobby), runs: h("ol", { class: "runs", reversed: true }), none: h("p", { class: "soft small" }, L.none) };
  made.found = h("section", { class: "card panel found", "aria-label": L.found }, h("p", { class: "soft" }, L.choose));
  fill(main,
    h("div", { class: "heading" }, h("h1", {}, L.title), h("p", { class: "soft" }, L.lead)),
    h("div", { class: "lab" },
      h("div", { class: "stack" },
        h("section", { class: "card panel" }, h("h2", {}, L.begin), made.form.element),
        h("section", { class: "card panel" }, h("h2", {}, L.runs), made.none, made.runs)),
      made.found),
    h("datalist", { id: "games" }, lobby.games.map((game) => h("option", { value: game.game }, game.name))),
    h("datalist", { id: "bots" }, [...new Set(["cfr", "cfr+", "lcfr", "dcfr", ...lobby.bots.map((bot) => bot.player)])].map((value) => h("option", { value }))));
  return made;
}

function field(name, input) {
  input.id = newId();
  return h("div", { class: "field" }, h("label", { for: input.id }, name), input);
}

function makeForm() {
  const game = h("input", { type: "text", class: "mono wide", value: "leduc_poker", list: "games", maxLength: 1000, autocomplete: "off", spellcheck: false, required: true });
  const seconds = h("input", { type: "number", min: 0.01, max: 120, step: 0.01, value: 5, required: true });
  const matches = h("input", { type: "number", min: 1, max: 1000, step: 1, value: 50, required: true });
  const seed = h("input", { type: "number", min: 0, step: 1, value: 0, required: true });
  const players = h("fieldset", {});
  const legend = h("legend", {});
  const more = h("button", { type: "button", class: "quiet small" }, L.more);
  const group = newId();
  const radio = (kind) => h("label", {}, h("input", { type: "radio", name: group, value: kind, checked: kind === "convergence", onchange: () => turn(kind) }), L.kinds[kind]);
  const secondsField = field("", seconds);
  const matchesField = field(L.matches, matches);
  let kind = "convergence";

  const rows = () => [...players.querySelectorAll("input")];
  const add = (value) => {
    const number = rows().length + 1;
    const input = h("input", { type: "text", class: "mono", value, list: "bots", maxLength: 500, autocomplete: "off", spellcheck: false, "aria-label": L.player(number) });
    const row = h("div", { class: "player" }, input, h("button", { type: "button", class: "quiet round", "aria-label": L.less(number), onclick: () => { row.remove(); limit(); } }, "✕"));
    players.insertBefore(row, more);
    limit();
  };
  const limit = () => { more.hidden = rows().length >= MOST[kind]; };
  more.addEventListener("click", () => { add(""); rows().at(-1).focus(); });
  const turn = (to) => {
    kind = to;
    fill(legend, L.players[kind]);
    fill(players, legend, more);
    for (const name of USUAL[kind]) add(name);
    fill(secondsField.firstChild, L.seconds[kind]);
    seconds.value = kind === "convergence" ? 5 : 0.1;
    matchesField.hidden = kind === "convergence";
  };
  const begin = (event) => {
    event.preventDefault();
    const named = rows().map((input) => input.value.trim()).filter(Boolean);
    link.say({
      type: "lab_open", kind, game: game.value.trim(), players: named, seconds: Number(seconds.value),
      matches: kind === "convergence" ? 0 : Number(matches.value), seed: Number(seed.value),
    });
  };
  const element = h("form", { class: "stack", onsubmit: begin },
    h("div", { class: "kinds", role: "radiogroup", "aria-label": L.kind }, radio("convergence"), radio("tournament")),
    field(L.game, game), players,
    h("div", { class: "numbers" }, secondsField, matchesField, field(L.seed, seed)),
    h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, L.go)));
  turn("convergence");
  return { element };
}

function showList(runs) {
  page.none.hidden = runs.length > 0;
  fill(page.runs, runs.map((one) => h("li", {},
    h("button", { type: "button", "aria-current": one.run === run?.run ? "true" : "false", onclick: () => look(one.run) },
      h("span", { class: "name" }, `${one.game}: ${one.players.join(", ")}`), h("span", { class: "soft small" }, L.states[one.state])))));
  page.list = runs;
}

// --- results ---

function show(frame) {
  run = { ...frame, compiled: 0 };
  run.chart = convergenceChart(L.nash);
  run.status = h("p", { class: "soft small", role: "status", "aria-live": "polite" });
  run.table = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": L.found });
  run.stop = h("button", { type: "button", onclick: () => link.say({ type: "lab_stop", run: run.run }) }, L.stop);
  run.forget = h("button", { type: "button", class: "quiet", onclick: forget }, L.forget);
  fill(page.found,
    h("div", { class: "row between" }, h("h2", {}, L.heading[run.kind](run)), h("div", { class: "row" }, run.stop, run.forget)),
    run.status, run.kind === "convergence" ? run.chart.element : null, run.table);
  if (page.list) showList(page.list);
  draw();
}

function forget() {
  link.say({ type: "lab_forget", run: run.run });
  run = null;
  history.replaceState(null, "", location.pathname);
  fill(page.found, h("p", { class: "soft" }, L.choose));
}

function added(frame) {
  if (!run || frame.run !== run.run) return;
  const event = frame.event;
  if (event.event === "state") Object.assign(run, { state: event.state, why: event.why });
  else if (event.event === "compiling") run.compiled += 1;
  else run.events.push(event);
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    if (run) draw();
  }, 60);
}

function draw() {
  const goesOn = run.state === "waiting" || run.state === "working";
  const what = run.state === "working" ? working() : L.states[run.state];
  fill(run.status, run.why ? `${what}: ${run.why}` : what);
  run.status.classList.toggle("pulse", goesOn);
  run.stop.hidden = !goesOn;
  run.forget.hidden = goesOn;
  if (run.kind === "convergence") drawConvergence();
  else drawTournament();
}

function working() {
  const last = run.events.at(-1);
  if (last?.event === "preparing" || !last) return run.compiled ? L.compiling(run.compiled) : L.preparing;
  return L.states.working;
}

function drawConvergence() {
  const points = run.events.filter((event) => event.event === "point");
  const names = run.players;
  run.chart.show(names, names.map((_, place) => points.filter((point) => point.curve === place).map((point) => [point.seconds, point.nash_conv])));
  const rows = names.map((name, place) => {
    const own = points.filter((point) => point.curve === place);
    const failed = run.events.find((event) => event.event === "failed" && event.curve === place);
    const last = own.at(-1);
    if (failed) return h("tr", {}, h("th", { scope: "row" }, name), h("td", { colSpan: 4 }, failed.why));
    if (!last) return h("tr", {}, h("th", { scope: "row" }, name), h("td", { colSpan: 4, class: "soft" }, "–"));
    return h("tr", {}, h("th", { scope: "row" }, name),
      h("td", {}, figure(last.nash_conv)), h("td", {}, last.seconds.toFixed(2)),
      h("td", {}, figure(last.figures.iterations ?? NaN)), h("td", {}, figure(last.figures["information sets"] ?? NaN)));
  });
  fill(run.table, h("table", { class: "figures" },
    h("caption", { class: "hidden-text" }, L.nash),
    h("thead", {}, h("tr", {}, [L.search, "nash_conv", L.took, S.think.iterations, L.sets].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows)));
}

function drawTournament() {
  const scores = new Map();
  for (const event of run.events) {
    if (event.event !== "score") continue;
    scores.set(`${event.first} ${event.second}`, event);
    scores.set(`${event.second} ${event.first}`, { ...event, mean: -event.mean, low: negative(event.high), high: negative(event.low) });
  }
  const totals = run.players.map((_, own) => {
    const met = run.players.map((__, other) => scores.get(`${own} ${other}`)).filter(Boolean);
    return met.length ? met.reduce((sum, score) => sum + score.mean, 0) / met.length : NaN;
  });
  const order = run.players.map((_, place) => place).sort((one, other) => (totals[other] || 0) - (totals[one] || 0));
  const cell = (own, other) => {
    if (own === other) return h("td", { class: "soft" }, "–");
    const score = scores.get(`${own} ${other}`);
    if (!score) return h("td", {}, "");
    const known = score.low !== null && score.high !== null;
    const kind = known && score.low > 0 ? "good" : known && score.high < 0 ? "bad" : "";
    const half = known ? ` ± ${figure((score.high - score.low) / 2)}` : "";
    return h("td", { class: kind, title: L.played(score.matches) }, `${signed(score.mean)}${half}`);
  };
  const count = Math.max(0, ...[...scores.values()].map((score) => score.matches));
  fill(run.table,
    h("table", { class: "figures" },
      h("caption", { class: "soft small" }, L.caption(count, 2 * run.matches)),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, L.bot), h("th", { scope: "col" }, L.mean), order.map((place) => h("th", { scope: "col" }, run.players[place])))),
      h("tbody", {}, order.map((own) => h("tr", {}, h("th", { scope: "row" }, run.players[own]),
        h("td", {}, Number.isFinite(totals[own]) ? signed(totals[own]) : ""), order.map((other) => cell(own, other)))))));
}

function negative(value) {
  return value === null ? null : -value;
}
