// The names of good and bad moves, and payoffs with their units.

import { REVIEW as R } from "./review_texts.js";

/** The sign of each mark; words always stand beside it. */
export const SIGNS = { best: "●", mix: "●", open: "○", inaccuracy: "◐", mistake: "▲", blunder: "✖" };

/** Whether a mark is an error. */
export const isError = (mark) => mark === "inaccuracy" || mark === "mistake" || mark === "blunder";

/** @param {string} mark @returns {string} the name of a mark, such as "Blunder" */
export const nameOf = (mark) => R.marks[mark];

/** A payoff without its sign: 2.28. */
export function amount(value) {
  return rounded(Math.abs(value));
}

/**
 * A payoff with its sign: +1.37, −2, 0.
 * @param {number} value
 * @param {boolean} [aligned] whether to keep both digits after the point, for a column of numbers
 */
export function withSign(value, aligned = false) {
  const shown = aligned && Math.abs(value) < 100 ? Math.abs(value).toFixed(2) : rounded(Math.abs(value));
  return Number(shown) === 0 ? shown : `${value > 0 ? "+" : "−"}${shown}`;
}

function rounded(value) {
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toFixed(2)));
}

/**
 * An amount with its unit: "1 chip", "2.28 chips".
 * @param {number} value
 * @param {string} unit the plural
 */
export function counted(value, unit) {
  const shown = amount(value);
  return `${shown} ${shown === "1" ? unit.replace(/s$/, "") : unit}`;
}
