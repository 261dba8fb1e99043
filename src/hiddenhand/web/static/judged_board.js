// Draws a decision on the board: the move that was made is outlined, and the places of all moves are
// tinted by how often each is played.

import { shape } from "./dom.js";
import { drawPlan } from "./plan.js";

/**
 * Draw a decision on a picture of its player, and take away the one before.
 * @param {SVGSVGElement} svg the drawn scene
 * @param {import("./board.js").Picture} picture
 * @param {{seat: number, plan?: {items: [number, number][]}, moved?: number[]} | undefined} decision
 */
export function drawDecision(svg, picture, decision) {
  svg.querySelector(":scope > .reviewed")?.remove();
  if (!decision?.plan || picture.of !== decision.seat) return;
  const items = /** @type {NodeListOf<SVGGElement>} */ (svg.querySelectorAll(":scope > g"));
  const layer = shape("g", { class: "reviewed", "aria-hidden": "true" });
  svg.append(layer);
  drawPlan(layer, picture.scene, decision.plan);
  for (const number of decision.moved) {
    const { x, y, width, height } = items[number].getBBox();
    layer.append(shape("rect", { class: "moved", x, y, width, height, rx: 3 }));
  }
}
