// The 1,326 pairs of a deck of 52 cards, put together in 169 classes: AA, AKs, AKo, ...

const DECK_RANKS = "23456789TJQKA"; // in the order of the server
const SUITS = "cdhs";
const SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
const MILLION = 1e6;

/** The ranks of a grid, from the highest on. */
export const RANKS = "AKQJT98765432";

/**
 * @typedef {{name: string, said: string, p: number, times: number}} Combo
 * @typedef {{name: string, said: string, p: number, times: number | null, combos: Combo[]}} HandClass
 * p: the probability. times: how many times as likely as by the deal; null if it cannot be.
 */

/**
 * The classes of hands, row by row. Suited ones lie above the diagonal, the others below.
 * @param {number[]} pairs for each pair its probability in millionths, or -1 if it cannot be
 * @returns {HandClass[][]}
 */
export function classesOf(pairs) {
  const possible = pairs.filter((p) => p >= 0).length || 1;
  const rows = [...RANKS].map((one, row) => [...RANKS].map((other, column) => named(one, other, row, column)));
  let at = 0;
  for (let first = 0; first < 52; first += 1) {
    for (let second = first + 1; second < 52; second += 1, at += 1) {
      if (pairs[at] < 0) continue;
      const cell = cellOf(rows, first, second);
      const p = pairs[at] / MILLION;
      cell.combos.push({ name: nameOf(second) + nameOf(first), said: saidOf(second) + saidOf(first), p, times: p * possible });
      cell.p += p;
    }
  }
  for (const cell of rows.flat()) {
    if (cell.combos.length) cell.times = (cell.p * possible) / cell.combos.length;
  }
  return rows;
}

function named(one, other, row, column) {
  const [high, low] = row <= column ? [one, other] : [other, one];
  const suited = row < column ? "s" : row > column ? "o" : "";
  const said = row < column ? "suited" : row > column ? "offsuit" : "a pair";
  return { name: high + low + suited, said: `${high}${low} ${said}`, p: 0, times: null, combos: [] };
}

function cellOf(rows, first, second) {
  const [low, high] = [first, second].map((card) => 12 - Math.floor(card / 4)); // places among RANKS
  const isSuited = first % 4 === second % 4;
  return isSuited ? rows[high][low] : rows[low][high];
}

function nameOf(card) {
  return DECK_RANKS[Math.floor(card / 4)] + SIGNS[SUITS[card % 4]];
}

function saidOf(card) {
  return DECK_RANKS[Math.floor(card / 4)] + SUITS[card % 4];
}

/** How far a number of times is from 1: -1 for a quarter or less, 1 for four times or more. */
export function tilt(times) {
  if (times <= 0) return -1;
  return Math.max(-1, Math.min(1, Math.log2(times) / 2));
}
