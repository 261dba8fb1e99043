// The equilibrium by hand: a row for each hand of a seat, a column for each of its decisions in the
// match, and in each cell a bar that is divided among the moves.

import { h, percent } from "./dom.js";
import { REVIEW as R } from "./review_texts.js";

const KINDS = { fold: "fold", check: "calm", call: "calm", pass: "calm", bet: "bold", raise: "bold" };
const COLOURS = 6;
const ROOM = 0.17; // the part of a bar that has room for its number

/** @param {string} move @param {string[]} moves all moves of the table */
function kindOf(move, moves) {
  const known = moves.every((name) => KINDS[name]);
  return known ? KINDS[move] : `m${moves.indexOf(move) % COLOURS}`;
}

/**
 * @param {{columns: {ply: number, title: string, own: string}[], rows: {name: string, cells: ({moves: string[], policy: number[]}|null)[]}[]}} table
 * @param {number} ply the ply that the page shows
 * @param {(ply: number) => void} go shows a ply
 */
export function handsTable(table, ply, go) {
  const moves = [...new Set(table.rows.flatMap((row) => row.cells.flatMap((cell) => cell?.moves ?? [])))];
  const cell = (found, column, name) => h("td", { class: column.own === name ? "own" : "" }, found ? h("div", { class: "mixed" },
    found.moves.map((move, place) => part(move, found.policy[place], moves)),
    h("span", { class: "hidden-text" }, `${column.own === name ? R.ownHand : ""}${found.moves.map((move, place) => `${move} ${percent(found.policy[place])}`).join(", ")}`)) : null);
  const head = (column) => h("th", { scope: "col", class: column.ply === ply ? "now" : "" },
    h("button", { type: "button", class: "quiet small", onclick: () => go(column.ply) }, column.title));
  return h("section", { class: "card hands" },
    h("h3", {}, R.byHand),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": R.byHand },
      h("table", {},
        h("caption", { class: "hidden-text" }, R.byHandLead),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, R.hand_), table.columns.map(head))),
        h("tbody", {}, table.rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.name),
          row.cells.map((found, place) => cell(found, table.columns[place], row.name))))))),
    h("ul", { class: "moves-legend", "aria-hidden": "true" }, moves.map((move) => h("li", { class: kindOf(move, moves) }, move))));
}

function part(move, p, moves) {
  if (p < 0.005) return null;
  const made = h("div", { class: kindOf(move, moves), title: `${move} ${percent(p)}`, "aria-hidden": "true" }, p >= ROOM ? percent(p) : "");
  made.style.width = `${100 * p}%`;
  return made;
}
