// The results of experiments: a chart and a table of convergence, or a heat map of a tournament.

import { figure, fill, h } from "./dom.js";
import { withSign } from "./marks.js";
import { LAB as L } from "./lab_texts.js";

const MOST_SHADE = 34; // percent of the colour in a cell: words stay readable

/**
 * @typedef {object} Run an experiment
 * @property {string} run its name
 * @property {string} kind
 * @property {string} game
 * @property {string[]} players
 * @property {number} seconds
 * @property {number} matches
 * @property {number} each how many matches each two bots play
 * @property {number} seed
 * @property {object[]} events
 */

/**
 * The curves of experiments. Names tell apart what the experiments have in common.
 * @param {Run[]} runs
 */
export function seriesOf(runs) {
  const games = new Set(runs.map((run) => run.game));
  const taken = runs.flatMap((run) => run.players.map((name) => `${name} ${run.game}`));
  const isTwice = (key) => taken.indexOf(key) !== taken.lastIndexOf(key);
  const seeds = new Set(runs.map((run) => run.seed));
  return runs.flatMap((run, number) => run.players.map((player, curve) => {
    const more = games.size > 1 ? [run.game] : [];
    if (isTwice(`${player} ${run.game}`)) more.push(seeds.size === runs.length ? L.seedOf(run.seed) : L.runOf(number + 1));
    return {
      name: [player, ...more].join(" · "), run, player,
      points: run.events.filter((event) => event.event === "point" && event.curve === curve).map((event) => ({
        seconds: event.seconds, iterations: event.figures.iterations ?? NaN, sets: event.figures["information sets"] ?? NaN, gap: event.nash_conv,
      })),
      failed: run.events.find((event) => event.event === "failed" && event.curve === curve)?.why,
    };
  }));
}

/** The last figures of each curve, as a table. */
export function convergenceTable(series) {
  const row = ({ name, points, failed }) => {
    const last = points.at(-1);
    const head = h("th", { scope: "row" }, name);
    if (failed) return h("tr", {}, head, h("td", { colSpan: 4, class: "said" }, failed));
    if (!last) return h("tr", {}, head, h("td", { colSpan: 4, class: "soft" }, "–"));
    return h("tr", {}, head, h("td", {}, figure(last.gap)), h("td", {}, last.seconds.toFixed(2)), h("td", {}, figure(last.iterations)), h("td", {}, figure(last.sets)));
  };
  return scrolling(h("table", { class: "figures" },
    h("caption", { class: "hidden-text" }, L.nash),
    h("thead", {}, h("tr", {}, [L.search, "nash_conv", L.took, L.iterations, L.sets].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, series.map(row))));
}

function scrolling(...content) {
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": L.found }, content);
}

/**
 * The scores of a tournament: the mean payoff of each bot against each other one.
 * @param {Run} run
 */
export function scoresOf(run) {
  const scores = new Map();
  for (const event of run.events) {
    if (event.event !== "score") continue;
    scores.set(`${event.first} ${event.second}`, event);
    scores.set(`${event.second} ${event.first}`, { ...event, mean: -event.mean, low: negative(event.high), high: negative(event.low) });
  }
  const means = run.players.map((_, own) => {
    const met = run.players.map((__, other) => scores.get(`${own} ${other}`)).filter(Boolean);
    return met.length ? met.reduce((sum, score) => sum + score.mean, 0) / met.length : NaN;
  });
  const order = run.players.map((_, place) => place).sort((one, other) => (means[other] || 0) - (means[one] || 0));
  return { scores, means, order };
}

const isKnown = (score) => score.low !== null && score.high !== null;
const isOpen = (score) => isKnown(score) && score.low <= 0 && score.high >= 0;

/**
 * A tournament as a heat map with numbers, and what is not decided in words.
 * @param {Run} run
 * @param {string} unit what payoffs are counted in
 */
export function heatMap(run, unit) {
  const { scores, means, order } = scoresOf(run);
  const largest = Math.max(1e-9, ...[...scores.values()].map((score) => Math.abs(score.mean)));
  const cell = (own, other) => {
    const score = scores.get(`${own} ${other}`);
    if (own === other || !score) return h("td", { class: "soft" }, own === other ? "–" : "");
    const made = h("td", { class: "heat", title: L.played(score.matches) }, h("span", { class: "mean" }, withSign(score.mean)), range(score));
    made.style.setProperty("--shade", `${(MOST_SHADE * Math.abs(score.mean)) / largest}%`);
    made.classList.add(score.mean < 0 ? "pays" : "earns");
    return made;
  };
  const count = Math.max(0, ...[...scores.values()].map((score) => score.matches));
  return h("div", { class: "stack" },
    ranking(run),
    h("h3", {}, L.leads),
    h("p", { class: "soft small" }, L.caption(count, run.each, unit)),
    scrolling(h("table", { class: "figures" },
      h("caption", { class: "hidden-text" }, L.heading.tournament(run)),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, L.bot), h("th", { scope: "col" }, L.mean), order.map((place) => h("th", { scope: "col" }, run.players[place])))),
      h("tbody", {}, order.map((own) => h("tr", {}, h("th", { scope: "row" }, run.players[own]),
        h("td", {}, Number.isFinite(means[own]) ? withSign(means[own]) : ""), order.map((other) => cell(own, other))))))),
    h("p", { class: "soft small" }, L.shades),
    openPairs(run, scores));
}

/** The bots, best first, with ratings and intervals; nothing before each has played in each order of seats. */
function ranking(run) {
  const standings = run.events.findLast((event) => event.event === "standings")?.standings;
  if (!standings) return null;
  const cell = ({ value, low, high }, said) => h("td", {}, h("span", { class: "mean" }, said(value)),
    low === null || high === null ? null : h("span", { class: "range" }, L.interval(said(low), said(high))));
  const { place, elo, points, payoff } = L.columns;
  const heads = [place, L.bot, elo, points, payoff, ...standings[0].seats.map((_, seat) => L.seat(seat + 1))];
  return h("section", { class: "stack" },
    h("h3", {}, L.ranking),
    h("p", { class: "soft small" }, L.rankingSaid(figure(standings[0].matches), run.unit)),
    scrolling(h("table", { class: "figures ranking" },
      h("caption", { class: "hidden-text" }, L.ranking),
      h("thead", {}, h("tr", {}, heads.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, standings.map((one) => h("tr", {},
        h("td", {}, L.places(...one.places)), h("th", { scope: "row" }, run.players[one.bot]),
        cell(one.elo, (value) => withSign(Math.round(value))), cell(one.points, (value) => `${(100 * value).toFixed(1)}%`), cell(one.payoff, withSign),
        one.seats.map((paid) => h("td", {}, withSign(paid)))))))));
}

/** The interval of a score; one that holds 0 decides nothing. */
function range(score) {
  if (!isKnown(score)) return null;
  const ends = [withSign(score.low), withSign(score.high)];
  return [isOpen(score) ? h("span", { class: "range" }, L.open) : null, h("span", { class: "range" }, L.interval(...ends))];
}

function openPairs(run, scores) {
  const open = run.events.length ? [...scores.entries()].filter(([key, score]) => {
    const [own, other] = key.split(" ").map(Number);
    return own < other && isOpen(score);
  }) : [];
  if (!scores.size) return null;
  if (!open.length) return h("p", { class: "small" }, [...scores.values()].every(isKnown) ? L.allDecided : "");
  return h("ul", { class: "open-pairs small" }, open.map(([, score]) =>
    h("li", {}, L.between(run.players[score.first], run.players[score.second], withSign(score.low), withSign(score.high)))));
}

function negative(value) {
  return value === null ? null : -value;
}

/** Show a sentence in place of results. */
export function nothingYet(element) {
  fill(element, h("p", { class: "soft" }, L.choose));
}
