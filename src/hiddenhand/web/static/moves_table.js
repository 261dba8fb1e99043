// The table of moves: for each move its share of the strategy, its expected payoff and its visits; or
// two searches beside each other. Rows keep the order of the game, so that they do not jump about
// while a search thinks.

import { fill, h, percent, signed } from "./dom.js";
import { T } from "./texts.js";

const E = T.engine;
const FEW = 8; // rows, unless the reader wants all
const STAYS = 0.5; // a shown row stays until its share is below so much of the least of the likeliest
const PRECISE = 2500; // rollouts whose mean deserves two digits
const SURE = new Set(["steady", "exact", "unknown"]);

/** @typedef {{names: string[], actions: number[], policy: number[], ev?: (number | null)[], visits?: number[], rollouts?: number, trust?: {level: string, points?: number, visits?: number}}} Report */

export class MovesTable {
  /** @param {string} unit the unit of payoffs */
  constructor(unit) {
    this.unit = unit;
    this.all = false;
    /** @type {Set<string>} */
    this.shown = new Set();
    this.table = h("table", { class: "engine-table" });
    this.more = h("button", { class: "quiet small", type: "button", onclick: () => { this.all = !this.all; this.draw(); } });
    this.scroll = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": E.moves }, this.table);
    this.note = h("p", { class: "soft small" });
    this.element = h("div", { class: "block" }, this.scroll, this.more, this.note);
    this.element.hidden = true;
  }

  /**
   * @param {Report | null | undefined} first
   * @param {Report | null | undefined} second a report of another search of the same position
   */
  show(first, second) {
    this.first = first;
    this.second = second;
    this.draw();
  }

  draw() {
    const { first, second } = this;
    this.element.hidden = !first;
    if (!first) {
      this.shown.clear();
      return;
    }
    const { names, policy } = first;
    const chosen = this.all ? new Set(names) : this.likeliest(names, policy);
    const left = names.length - chosen.size;
    const isUnsure = first.trust && !SURE.has(first.trust.level);
    this.table.classList.toggle("unsure", Boolean(isUnsure));
    const rows = names.map((name, place) => ({ name, place })).filter(({ name }) => chosen.has(name));
    fill(this.table,
      h("caption", { class: "hidden-text" }, E.moves),
      h("thead", {}, h("tr", {}, this.heads().map(([name, title, kind]) => h("th", { scope: "col", title, class: kind }, name)))),
      h("tbody", {}, rows.map((row) => this.row(row))));
    this.more.hidden = names.length <= FEW + 1;
    this.more.textContent = this.all ? E.showFew : `${E.showAll} (${E.more(left)})`;
    this.scroll.classList.toggle("long", this.all);
    const visits = first.visits ? undefined : first.trust?.visits; // else each move has its own
    fill(this.note, second ? "" : E.counted(first.rollouts, visits));
  }

  heads() {
    const { first, second, unit } = this;
    if (second) return [[E.move, "", ""], [E.bar, "", "bar-head"], [E.first, "", "value one"], [E.other, "", "value two"], [E.difference, E.differenceTitle, "value"]];
    return [[E.move, "", ""], [E.bar, "", "bar-head"], [E.share, "", "value"],
      ...(first.ev ? [[E.payoff, E.payoffTitle(unit), "value"]] : []), ...(first.visits ? [[E.visits, "", "value"]] : [])];
  }

  /** @param {{name: string, place: number}} row */
  row({ name, place }) {
    const { first, second } = this;
    const p = first.policy[place];
    const q = second?.policy[place];
    const cells = second
      ? [h("td", { class: "value" }, share(p, first.trust)), h("td", { class: "value" }, share(q, second.trust)), h("td", { class: "value" }, difference(p - q))]
      : [h("td", { class: "value" }, share(p, first.trust)),
        first.ev ? h("td", { class: "value" }, payoff(first.ev[place], first.rollouts)) : null,
        first.visits ? h("td", { class: "value" }, compact(first.visits[place])) : null];
    return h("tr", {}, h("th", { scope: "row", title: name }, name),
      h("td", { class: "bar-cell", "aria-hidden": "true" }, bar(p, "one"), second ? bar(q, "two") : null), ...cells);
  }

  /** The likeliest moves. One that is shown stays for a while when others pass it. */
  likeliest(names, policy) {
    if (names.length <= FEW + 1) return new Set(names); // a button takes the room of a row
    const order = names.map((_, place) => place).sort((one, other) => policy[other] - policy[one] || one - other);
    const least = policy[order[FEW - 1]];
    const kept = order.filter((place) => this.shown.has(names[place]) && policy[place] >= STAYS * least);
    const places = [...new Set([...order.slice(0, 3), ...kept, ...order])].slice(0, FEW);
    this.shown = new Set(places.map((place) => names[place]));
    return this.shown;
  }
}

/** @param {number} p @param {string} kind */
function bar(p, kind) {
  const filled = h("div");
  filled.style.width = `${100 * p}%`;
  return h("div", { class: `bar ${kind}` }, filled);
}

/** A probability, with as many digits as it deserves. */
function share(p, trust) {
  if (p === undefined) return "–";
  return trust && !SURE.has(trust.level) ? `≈ ${Math.round(100 * p)}%` : percent(p);
}

/** @param {number} gap */
function difference(gap) {
  const points = Math.round(100 * gap);
  return points > 0 ? `+${points}` : String(points).replace("-", "−");
}

/** @param {number | null} value @param {number} [rollouts] of how many it is the mean */
function payoff(value, rollouts = Infinity) {
  const digits = rollouts < PRECISE ? 1 : 2;
  return value === null || value === undefined ? "–" : Math.abs(value) >= 100 ? signed(Math.round(value)) : signed(Number(value.toFixed(digits)));
}

/** @param {number} count */
function compact(count) {
  return count < 10_000 ? Math.round(count).toLocaleString("en") : new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(count);
}
