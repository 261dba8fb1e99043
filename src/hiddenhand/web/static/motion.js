// What changed between two pictures of a table: items that moved slide to their new place, new items
// appear, and a frame marks the last move.

import { shape } from "./dom.js";

const DURATION = 180; // milliseconds
const MOST_MOVED = 40; // items that move at once; more are another position
const MOST_MARKED = 6; // items of a move; more are no single move
const MARKABLE = new Set(["card", "die", "chip", "circle", "polygon", "rect", "line", "arrow"]);
const STILL = new Set(["sight", "possible", "highlight", "board", "felt", "cell"]); // roles that show no move

/** @typedef {{kind: string, role?: string, [name: string]: any}} Item */

/** An item as text, without what only concerns clicks and screen readers. @param {Item} item */
function look({ action, choices, label, ...seen }) {
  return JSON.stringify(seen);
}

/** An item as text, without its place. @param {Item} item */
function form({ action, choices, label, x, y, points, ...seen }) {
  return JSON.stringify(seen);
}

/** @param {Item} item @returns {[number, number]} the place of an item */
function place(item) {
  return item.points ? item.points[0] : [item.x, item.y];
}

/**
 * The items of a scene that an earlier scene lacks.
 * @param {{items: Item[]}} before
 * @param {{items: Item[]}} after
 * @returns {{index: number, from: [number, number] | null}[]} their numbers, and where an item came from
 */
export function changes(before, after) {
  const known = new Map();
  for (const item of before.items) known.set(look(item), (known.get(look(item)) ?? 0) + 1);
  const fresh = [];
  after.items.forEach((item, index) => {
    const left = known.get(look(item)) ?? 0;
    if (left) known.set(look(item), left - 1);
    else fresh.push(index);
  });
  const gone = before.items.filter((item) => {
    const left = known.get(look(item)) ?? 0;
    if (left) known.set(look(item), left - 1);
    return left > 0;
  });
  return fresh.map((index) => {
    const twin = gone.findIndex((item) => form(item) === form(after.items[index]));
    const from = twin < 0 ? null : place(gone.splice(twin, 1)[0]);
    return { index, from };
  });
}

/** The changed items that show a move, as `look` writes them: none if too many changed to be one move, and
    undefined if none of them shows a move.
    @param {{items: Item[]}} scene @param {{index: number}[]} changed @returns {string[] | undefined} */
export function marked(scene, changed) {
  const shown = changed.map(({ index }) => index).filter((index) => {
    const { kind, role = "", rank, face } = scene.items[index];
    const isCovered = (kind === "card" && !rank) || (kind === "die" && !face);
    return MARKABLE.has(kind) && !isCovered && !role.split(" ").some((one) => STILL.has(one));
  });
  if (!shown.length) return undefined;
  return shown.length <= MOST_MARKED ? shown.map((index) => look(scene.items[index])) : [];
}

/** Draw frames around the items that look like `looks`. @param {SVGSVGElement} svg the drawn scene
    @param {{items: Item[]}} scene @param {string[]} looks */
export function mark(svg, scene, looks) {
  const drawn = elements(svg, scene);
  const boxes = drawn.filter((_, index) => looks.includes(look(scene.items[index]))).map((item) => /** @type {SVGGElement} */ (item).getBBox());
  const layer = shape("g", { class: "last-move", "aria-hidden": "true" });
  for (const box of joined(boxes)) {
    layer.append(shape("rect", { x: box.x - 3, y: box.y - 3, width: box.width + 6, height: box.height + 6, rx: 5 }));
  }
  svg.append(layer);
}

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** One box around each group of boxes that overlap. @param {Box[]} boxes @returns {Box[]} */
function joined(boxes) {
  const found = [];
  for (const box of boxes) {
    let whole = box;
    for (let place = found.length - 1; place >= 0; place -= 1) {
      if (overlap(found[place], whole)) whole = around(found.splice(place, 1)[0], whole);
    }
    found.push(whole);
  }
  return found;
}

function overlap(one, other) {
  return one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
}

function around(one, other) {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const right = Math.max(one.x + one.width, other.x + other.width);
  const bottom = Math.max(one.y + one.height, other.y + other.height);
  return { x, y, width: right - x, height: bottom - y };
}

/** Let changed items slide or appear. @param {SVGSVGElement} svg @param {{items: Item[]}} scene
    @param {{index: number, from: [number, number] | null}[]} changed */
export function animate(svg, scene, changed) {
  if (changed.length > MOST_MOVED || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const drawn = elements(svg, scene);
  for (const { index, from } of changed) {
    const [x, y] = place(scene.items[index]);
    const start = from ? { transform: `translate(${from[0] - x}px, ${from[1] - y}px)` } : { opacity: 0 };
    const end = from ? { transform: "none" } : {};
    drawn[index].animate([start, end], { duration: DURATION, easing: "ease-out" });
  }
}

/** The elements of the items of a scene; the first child is its paper. @param {SVGSVGElement} svg
    @param {{items: Item[]}} scene */
function elements(svg, scene) {
  return [...svg.children].slice(1, 1 + scene.items.length);
}
