// Hands that a seat does not see: the cards that may be there beside each other, each with a bar and
// its probability. Many cards become a small table, and the pairs of a deck a small grid.

import { percent, shape } from "./dom.js";
import { roomAround } from "./geometry.js";
import { classesOf, tilt } from "./pairs.js";
import { drawnItem, element } from "./scene.js";

const COURT = "TJQKA";
const MOST_CARDS = 8; // that are drawn as cards
const GAP = 4;
const BELOW = 16; // room for a bar and a number
const LEAST_CARD = 20;
const CARD_SHAPE = 1.4;
const LEAST_WIDE = 17; // of a place in a table
const LEAST_HIGH = 11;
const SUITS = { c: "♣", d: "♦", h: "♥", s: "♠" };

/** The element of a hand. @param {{width: number, items: any[]}} scene @param {any} hand */
export function drawHand(scene, hand) {
  const layer = shape("g", { class: "hand" });
  if (hand.pairs) layer.append(...smallGrid(hand));
  else layer.append(...(fan(scene, hand) ?? table(scene, hand)));
  return layer;
}

/** Cards or dice beside each other; null where they do not fit. */
function fan(scene, hand) {
  const shown = inOrder(hand.held);
  const count = shown.length;
  if (!count || count > MOST_CARDS) return null;
  const high = shown[0].face === undefined ? CARD_SHAPE : 1;
  const room = roomAround(scene, hand);
  const size = Math.min((hand.height - BELOW) / high, (room - (count - 1) * GAP) / count, 38);
  if (size < LEAST_CARD) return null;
  const wide = count * size + (count - 1) * GAP;
  const left = hand.x + (hand.width - wide) / 2;
  const top = hand.y + (hand.height - BELOW - size * high) / 2;
  const parts = [plate(Math.min(left - 3, hand.x), hand.y, Math.max(wide + 6, hand.width), hand.height)];
  shown.forEach((held, place) => {
    const x = left + place * (size + GAP);
    const drawn = element(drawnItem(itemOf(held, x, top, size)));
    drawn.setAttribute("opacity", String(0.35 + 0.65 * Math.sqrt(held.p)));
    const bottom = top + size * high;
    parts.push(drawn, ...bar(x, bottom + 3, size, held.p), words(x + size / 2, bottom + 11.5, percent(held.p), 8.5));
  });
  return parts;
}

/** Places in rows, each with a name, as dark as it is likely. */
function table(scene, hand) {
  const width = Math.max(hand.width, Math.min(roomAround(scene, hand), hand.held.length * 34));
  const left = hand.x + (hand.width - width) / 2;
  const most = Math.max(1, Math.floor(width / LEAST_WIDE)) * Math.max(1, Math.floor(hand.height / LEAST_HIGH));
  const shown = inOrder(hand.held.slice(0, most)); // the likeliest come first
  const columns = columnsFor(shown.length, width, hand.height);
  const rows = Math.ceil(shown.length / columns);
  const [wide, high] = [width / columns, hand.height / rows];
  const parts = [plate(left, hand.y, width, hand.height)];
  shown.forEach((held, place) => {
    const x = left + (place % columns) * wide;
    const y = hand.y + Math.floor(place / columns) * high;
    const heat = shape("rect", { class: "heat", x: x + 0.75, y: y + 0.75, width: wide - 1.5, height: high - 1.5, rx: 3 });
    heat.setAttribute("fill-opacity", String(0.65 * held.p ** 0.7));
    const hasNumber = high >= 20 || wide >= 40;
    const size = Math.min(12, high * (high >= 20 ? 0.42 : 0.75), wide * 0.5);
    const beside = hasNumber && high < 20;
    parts.push(heat, words(x + wide * (beside ? 0.3 : 0.5), y + high * (hasNumber && !beside ? 0.32 : 0.5), nameOf(held), size, "name"));
    if (hasNumber) parts.push(words(x + wide * (beside ? 0.68 : 0.5), y + high * (beside ? 0.5 : 0.73), percent(held.p), Math.min(8.5, wide * 0.32)));
  });
  return parts;
}

/** The number of columns with which places are the least narrow. */
function columnsFor(count, width, height) {
  let best = 1;
  let most = 0;
  for (let columns = 1; columns <= count; columns += 1) {
    const least = Math.min(width / columns, (1.4 * height) / Math.ceil(count / columns));
    if (least > most + 1e-9) [best, most] = [columns, least];
  }
  return best;
}

/** The 169 classes of two cards, without words; `RangeGrid` has them. */
function smallGrid(hand) {
  const [wide, high] = [hand.width / 13, hand.height / 13];
  const parts = [plate(hand.x - 2, hand.y - 2, hand.width + 4, hand.height + 4)];
  classesOf(hand.pairs).forEach((row, down) => row.forEach((cell, right) => {
    const place = shape("rect", { class: tone(cell.times), x: hand.x + right * wide + 0.3, y: hand.y + down * high + 0.3, width: wide - 0.6, height: high - 0.6, rx: 0.8 });
    place.style.setProperty("--t", `${Math.abs(tilt(cell.times ?? 1)) * 100}%`);
    parts.push(place);
  }));
  return parts;
}

/** The class of a place in a grid of pairs. @param {number | null} times */
export function tone(times) {
  if (times === null) return "range none";
  return times >= 1 ? "range more" : "range less";
}

/** In the order of suits and ranks, which stays while a search thinks. */
function inOrder(held) {
  const place = ({ rank, face }) => face ?? (COURT.includes(rank) ? 10 + COURT.indexOf(rank) : Number(rank) || 20);
  const name = ({ rank, suit }) => `${suit ?? ""}${rank ?? ""}`;
  const bySuit = (one, other) => (one.suit ?? "").localeCompare(other.suit ?? "");
  return [...held].sort((one, other) => bySuit(one, other) || place(one) - place(other) || name(one).localeCompare(name(other)));
}

function itemOf(held, x, y, size) {
  return held.face === undefined
    ? { kind: "card", x, y, width: size, rank: held.rank, suit: held.suit }
    : { kind: "die", x, y, size, face: held.face };
}

function nameOf({ rank, suit, face }) {
  return face === undefined ? `${rank}${SUITS[suit] ?? suit ?? ""}` : String(face);
}

function plate(x, y, width, height) {
  return shape("rect", { class: "plate", x, y, width, height, rx: 5 });
}

function bar(x, y, width, p) {
  return [
    shape("rect", { class: "track", x, y, width, height: 3.5, rx: 1.75 }),
    shape("rect", { class: "share", x, y, width: Math.max(width * p, 0.01), height: 3.5, rx: 1.75 }),
  ];
}

/** Words around a point. */
export function words(x, y, text, size, kind = "number") {
  const made = shape("text", { class: kind, x, y: y + size * 0.35, "font-size": size, "text-anchor": "middle" });
  made.textContent = text;
  return made;
}
