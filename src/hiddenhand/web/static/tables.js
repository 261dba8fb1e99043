// The tables of this browser, for the list on the start page. Only the browser keeps them: the name
// of each table, and the token of the own seat.

/** @typedef {{ place: string, token: string }} KeptTable */

const KEY = "tables";
const MOST = 24;

/**
 * The tables, the newest first.
 * @returns {KeptTable[]}
 */
export function keptTables() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return kept.filter((table) => typeof table.place === "string" && typeof table.token === "string");
  } catch {
    return []; // storage is switched off, or holds something else
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
  try {
    localStorage.setItem(KEY, JSON.stringify(tables));
  } catch {
    // storage is full or switched off: the browser's history still knows the table
  }
}
