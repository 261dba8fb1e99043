// The list "Continue" of the start page: the tables of this browser that the server still has.

import { fill, h } from "./dom.js";
import { addressOf } from "./setup.js";
import { START } from "./start_texts.js";
import { forgetTable, keptTables } from "./tables.js";

/**
 * @typedef {{ place: string, name: string, players: string[], you: number | null,
 *   state: "mine" | "waiting" | "over", here: number[] }} Standing
 */

const SHOWN = 6;

/** Ask the server how the kept tables stand. Returns whether there are any. */
export function askForTables(link) {
  const seats = keptTables();
  if (seats.length) link.say({ type: "standing", seats });
  return seats.length > 0;
}

/**
 * Show the tables in a section.
 * @param {HTMLElement} section
 * @param {Standing[]} tables
 */
export function showTables(section, tables) {
  const known = new Map(tables.map((table) => [table.place, table]));
  for (const kept of keptTables()) if (!known.has(kept.place)) forgetTable(kept.place);
  const going = keptTables().filter((kept) => known.get(kept.place).you !== null).slice(0, SHOWN);
  section.hidden = !going.length;
  fill(section,
    h("h2", { id: "continue" }, START.going),
    h("ul", { class: "going" }, going.map((kept) => tableLink(kept, known.get(kept.place), () => showTables(section, tables)))));
}

/** @param {import("./tables.js").KeptTable} kept @param {Standing} table */
function tableLink(kept, table, again) {
  const others = table.players.filter((_, seat) => seat !== table.you).map((player) => (player === "person" ? START.person : player));
  const forget = () => {
    forgetTable(kept.place);
    again();
  };
  return h("li", { class: `chip ${table.state}` },
    h("a", { href: addressOf(kept.place, kept.token) },
      h("strong", {}, table.name),
      h("span", {}, START.against([...new Set(others)].join(", "))),
      h("span", { class: "state" }, START.states[table.state])),
    h("button", { class: "quiet round", type: "button", "aria-label": START.forget(table.name), title: START.forget(table.name), onclick: forget }, "✕"));
}
