// A belief drawn over the picture of its seat: each thing that the seat does not see, where it may be,
// as faint as it is unlikely. The server finds what to draw; see hiddenhand/games/drawing/ghosts.py.

import { percent, shape } from "./dom.js";
import { drawHand, words } from "./fans.js";
import { boxOf, holds, middleOf } from "./geometry.js";
import { drawnItem, element } from "./scene.js";

const SMALLEST_CELL = 22; // that has a number
const SMALL_CELL = 40; // that has whole numbers without a sign
const MOST_NUMBERS = 14; // beside items that lie on no cell
const LEAST_NUMBER = 0.02;
const APART = 17; // how far two such numbers are apart
const LARGE = 24; // an item that has its number above it, not beside it
const LEAST_OUTLINE = 0.04;

/**
 * @typedef {object} Ghosts
 * @property {number} seat whose belief it is
 * @property {{p: number, item: any}[]} items
 * @property {[number, number][]} cells
 * @property {any[]} hands
 */

/**
 * Draw a belief over a picture of the seat.
 * @param {SVGSVGElement} svg the drawn scene
 * @param {{width: number, items: any[]}} scene
 * @param {Ghosts} ghosts
 */
export function drawGhosts(svg, scene, ghosts) {
  const layer = shape("g", { class: "overlay ghosts", "aria-hidden": "true" });
  const cells = ghosts.cells.map(([at, p]) => withBox(scene.items[at], p));
  layer.append(...cells.map(heat));
  const loose = [];
  for (const entry of together(ghosts.items)) {
    const around = boxOf(entry.item);
    const covered = cells.filter(({ middle }) => holds(around, middle)).length;
    if (covered > 1 && entry.p < LEAST_OUTLINE) continue;
    layer.append(ghost(entry, covered > 1));
    if (!covered && entry.item.kind !== "text") loose.push(entry);
  }
  layer.append(...cells.map(cellNumber).filter(Boolean), ...looseNumbers(loose, scene), ...ghosts.hands.map((hand) => drawHand(scene, hand)));
  svg.append(layer);
}

function withBox(item, p) {
  const box = boxOf(item);
  return { item, p, box, middle: middleOf(box) };
}

/** Items of one shape become one, as likely as all of them. Of words at one place the likeliest stay. */
function together(items) {
  const found = new Map();
  for (const { p, item } of items) {
    const { label, role, action, choices, text, ...form } = item;
    const key = JSON.stringify(form);
    const known = found.get(key);
    found.delete(key); // so that the likeliest lie on top
    if (item.kind === "text") found.set(key, { p, item });
    else found.set(key, { p: Math.min(1, p + (known?.p ?? 0)), item });
  }
  return [...found.values()];
}

/** How opaque a ghost is. */
function strength(p) {
  return 0.06 + 0.86 * Math.sqrt(p);
}

function ghost({ p, item }, isOutline) {
  const { label, ...bare } = item;
  const made = element(drawnItem(bare));
  if (isOutline) made.classList.add("outline");
  made.setAttribute("opacity", strength(p).toFixed(3));
  return made;
}

function heat({ item, p }) {
  const made = element(drawnItem({ ...item, role: "heat", label: undefined, action: undefined, choices: undefined }));
  made.setAttribute("class", "heat");
  made.setAttribute("fill-opacity", (0.6 * p ** 0.75).toFixed(3));
  for (const name of ["role", "tabindex", "aria-label", "data-action", "data-choices"]) made.removeAttribute(name);
  return made;
}

function cellNumber({ item, box, p }) {
  const least = Math.min(box.width, box.height);
  const isSmall = least < SMALL_CELL;
  if (least < SMALLEST_CELL || p < (isSmall ? 0.015 : 0.005)) return null;
  const size = isSmall ? Math.max(8, least * 0.3) : Math.min(13, least * 0.2);
  const text = isSmall ? String(Math.round(100 * p)) : percent(p);
  if (item.kind === "polygon") return words(box.x + box.width / 2, box.y + box.height * 0.78, text, size);
  const made = words(box.x + box.width - 3, box.y + box.height - 2 - size * 0.5, text, size);
  made.setAttribute("text-anchor", "end");
  return made;
}

/** Numbers beside the likeliest items that lie on no cell, where there is room. */
function looseNumbers(entries, scene) {
  const placed = [];
  for (const { p, item } of [...entries].sort((one, other) => other.p - one.p)) {
    if (placed.length >= MOST_NUMBERS || p < LEAST_NUMBER) break;
    const box = boxOf(item);
    const [middle, y] = middleOf(box);
    if (box.width > LARGE) {
      placed.push([middle, y, words(middle, box.y - 6, percent(p), 9.5)]);
      continue;
    }
    const onRight = box.x + box.width + 28 < scene.width;
    const x = onRight ? box.x + box.width + 2 : box.x - 2;
    if (placed.some(([left, top]) => Math.abs(left - middle) < 2 * APART && Math.abs(top - y) < 0.7 * APART)) continue;
    const made = words(x, y, percent(p), 9);
    made.setAttribute("text-anchor", onRight ? "start" : "end");
    placed.push([middle, y, made]);
  }
  return placed.map(([, , made]) => made);
}
