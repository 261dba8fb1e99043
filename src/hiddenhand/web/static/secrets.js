// What the others may hold: the possible secrets, each with its probability. The order of the first
// report stays while a search thinks.

import { fill, h, percent } from "./dom.js";
import { T } from "./texts.js";

const E = T.engine;

const MOST = 7; // rows
const LONG = 12; // letters: shorter words that all names share stay in the rows

export class Secrets {
  constructor() {
    /** @type {string[]} */
    this.order = [];
    this.body = h("tbody");
    this.note = h("p", { class: "soft small" });
    this.shared = h("p", { class: "soft small" });
    this.element = h("div", { class: "block belief" }, h("h3", {}, E.holds), this.shared,
      h("table", { class: "engine-table" },
        h("caption", { class: "hidden-text" }, E.holds),
        h("colgroup", {}, h("col", { class: "name" }), h("col"), h("col", { class: "share" })),
        h("thead", { class: "hidden-text" }, h("tr", {}, h("th", { scope: "col" }, E.secret), h("th", { scope: "col" }, E.bar), h("th", { scope: "col" }, E.share))),
        this.body), this.note);
    this.element.hidden = true;
  }

  /** @param {{secrets: {name: string, p: number}[], rest: {count: number, p: number}, histories: number, is_sample: boolean} | null} belief */
  show(belief) {
    const listed = (belief?.secrets ?? []).filter(({ name }) => name);
    this.element.hidden = !listed.length;
    if (!belief || !listed.length) {
      this.order = [];
      return;
    }
    const shares = new Map(listed.map(({ name, p }) => [name, p]));
    this.order = [...this.order.filter((name) => shares.has(name)), ...listed.map(({ name }) => name).filter((name) => !this.order.includes(name))];
    const shared = sharedStart(this.order);
    fill(this.shared, shared && `${shared}…`);
    const few = new Set(this.likeliest(shares));
    const rows = this.order.filter((name) => few.has(name)).map((name) => row(name, shares.get(name), shared.length));
    const others = this.order.filter((name) => !few.has(name));
    const left = belief.rest.p + others.reduce((sum, name) => sum + shares.get(name), 0);
    if (belief.rest.count + others.length) rows.push(row(E.rest(belief.rest.count + others.length), left));
    fill(this.body, rows);
    fill(this.note, E.possible(belief.histories, belief.is_sample));
  }

  /** The likeliest secrets, as many as there is room for. @param {Map<string, number>} shares */
  likeliest(shares) {
    const names = [...this.order].sort((one, other) => shares.get(other) - shares.get(one));
    return names.length <= MOST + 1 ? names : names.slice(0, MOST);
  }
}

/** The long words with which all names begin, so that rows have room for what differs. @param {string[]} names */
function sharedStart(names) {
  const first = names[0].split(" ");
  const isShared = (count) => names.every((name) => name.startsWith(`${first.slice(0, count).join(" ")} `));
  const count = names.length < 2 ? 0 : first.findLastIndex((_, place) => isShared(place));
  const start = count > 0 ? `${first.slice(0, count).join(" ")} ` : "";
  return start.length < LONG ? "" : start;
}

/** @param {string} name @param {number} p @param {number} [start] how many letters are left out */
function row(name, p, start = 0) {
  const filled = h("div");
  filled.style.width = `${100 * p}%`;
  return h("tr", {}, h("th", { scope: "row", title: name }, name.slice(start)), h("td", { class: "bar-cell", "aria-hidden": "true" }, h("div", { class: "bar two" }, filled)), h("td", { class: "value" }, percent(p)));
}
