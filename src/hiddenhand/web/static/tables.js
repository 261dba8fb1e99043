// The tables of this browser, for the list on the start page. Only the browser keeps them: the name
// of each table, and the token of the own seat.

import { recall, remember } from "./memory.js";

/** @typedef {{ place: string, token: string }} KeptTable */

const KEY = "tables";
const MOST = 24;

/**
 * The tables, the newest first.
 * @returns {KeptTable[]}
 */
export function keptTables() {
  try {
    const kept = JSON.parse(recall(KEY) ?? "[]");
    return kept.filter((table) => typeof table.place === "string" && typeof table.token === "string");
  } catch {
    return []; // it holds something else
  }
}

/**
 * Keep a table, as the newest one.
 * @param {KeptTable} table
 */
export function keepTable({ place, token }) {
  if (!token) return; // a spectator has no seat to come back to
  write([{ place, token }, ...keptTables().filter((kept) => kept.place !== place)].slice(0, MOST));
}

/**
 * Take a table from the list.
 * @param {string} place
 */
export function forgetTable(place) {
  write(keptTables().filter((kept) => kept.place !== place));
}

function write(tables) {
  remember(KEY, JSON.stringify(tables)); // or else the browser's history still knows the table
}
