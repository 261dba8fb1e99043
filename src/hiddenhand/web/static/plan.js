// A plan, the probability of each move, drawn where the moves are: on the board, and on buttons.

import { percent, shape } from "./dom.js";
import { words } from "./fans.js";
import { boxOf, middleOf } from "./geometry.js";
import { drawnItem, element } from "./scene.js";

const KINDS = { line: "way", arrow: "way", chip: "around", card: "face", die: "face" }; // classes of tints
const LOW = 44; // the height of a place whose words leave room for a small number only
const EDGE = 12; // the height below which a number above an item would leave the sheet
const LEAST = 0.005; // the least probability with a number
const CROWDED = 60; // more items have numbers from LEAST_CROWDED on
const LEAST_CROWDED = 0.015;

/**
 * Draw a plan over a picture.
 * @param {SVGSVGElement} svg the drawn scene
 * @param {{items: any[]}} scene
 * @param {{items: [number, number][]}} plan for each item that is a move, its number and probability
 */
export function drawPlan(svg, scene, plan) {
  const layer = shape("g", { class: "overlay plan", "aria-hidden": "true" });
  const most = Math.max(...plan.items.map(([, p]) => p));
  const least = plan.items.length > CROWDED ? LEAST_CROWDED : LEAST;
  const numbers = [];
  for (const [at, p] of plan.items) {
    layer.append(tint(scene.items[at], p, p === most));
    if (p >= least) numbers.push(number(scene.items[at], p));
  }
  layer.append(...numbers);
  svg.append(layer);
}

function tint(item, p, isMost) {
  const { label, action, choices, text, ...bare } = item;
  const covered = item.kind === "card" || item.kind === "die"
    ? { kind: "rect", ...boxOf(item), corner: 5 }
    : item.kind === "chip" ? { kind: "circle", x: item.x, y: item.y, radius: item.radius + 2.5 } : bare;
  const made = element(drawnItem({ ...covered, role: "" }));
  made.setAttribute("class", ["tint", KINDS[item.kind] ?? "", isMost ? "most" : ""].filter(Boolean).join(" "));
  made.style.setProperty("--share", p.toFixed(4));
  return made;
}

function number(item, p) {
  const box = boxOf(item);
  const [x, y] = middleOf(box);
  const text = percent(p);
  if (item.kind === "line" || item.kind === "arrow") return words(x, y, text, 9.5);
  if (item.kind === "chip" || item.kind === "circle") {
    const small = box.width < 40;
    if (!small) return words(x, box.y + box.height * 0.8, text, 10);
    return words(x, box.y < EDGE ? box.y + box.height + 5 : box.y - 4, text, 8.5);
  }
  const size = Math.max(7.5, Math.min(13, Math.min(box.width * 0.28, box.height * 0.3)));
  if (item.kind === "card") return words(x, box.y + box.height - size * 0.75, text, size);
  if (item.kind === "polygon") return words(x, box.y + box.height * 0.78, text, size);
  const isLow = box.height < LOW && box.width > 1.3 * box.height;
  const made = isLow ? words(box.x + box.width - 3, box.y + box.height - 4.2, text, 7.4) : words(box.x + box.width - 4, box.y + box.height - 2 - size * 0.5, text, size);
  made.setAttribute("text-anchor", "end");
  return made;
}

/**
 * Show the probability of its move on a button: a fill behind the words, and a number after them.
 * @param {HTMLElement} button
 * @param {number | null} p null to show none
 */
export function fillButton(button, p) {
  button.classList.toggle("planned", p !== null);
  let shown = button.querySelector(".plan-share");
  if (p === null) {
    shown?.remove();
    button.style.removeProperty("--share");
    return;
  }
  if (!shown) {
    shown = document.createElement("span");
    shown.className = "plan-share";
    button.append(shown);
  }
  shown.textContent = percent(p);
  button.style.setProperty("--share", `${100 * p}%`);
}
