// Finds the item of a scene that a finger or a mouse means: small items can be chosen beside them, too.
// Of several items the nearest is meant, so their targets end half-way between them. What lies beside an
// item may be paper, or a part of the board that cannot be chosen.

export const CHOICES = "[data-action], [data-choices]";
const FINGER = 44; // pixels: how wide and how high the target of a finger is at least
const MOUSE = 24;

/**
 * The item that an event of the pointer or of the keyboard means, or null.
 * @param {SVGElement} root a drawn scene
 * @param {Event} event
 * @returns {Element | null}
 */
export function itemMeant(root, event) {
  const { target } = event;
  if (!(target instanceof Element)) return null;
  return target.closest(CHOICES) ?? (event instanceof MouseEvent ? nearest(root, event) : null);
}

/** Mark the item that a click of the mouse would mean. @param {SVGElement} root a drawn scene */
export function markMeant(root) {
  const mark = (event) => {
    if (event.pointerType !== "mouse") return;
    const meant = event.type === "pointermove" ? itemMeant(root, event) : null;
    root.style.cursor = meant ? "pointer" : "";
    for (const item of root.querySelectorAll(".meant")) item.classList.toggle("meant", item === meant);
    meant?.classList.add("meant");
  };
  for (const name of ["pointermove", "pointerleave"]) root.addEventListener(name, mark);
}

/** @param {SVGElement} root @param {MouseEvent} event @returns {Element | null} */
function nearest(root, event) {
  const size = "pointerType" in event && event.pointerType === "mouse" ? MOUSE : FINGER;
  let [found, least] = [null, Infinity];
  for (const item of root.querySelectorAll(CHOICES)) {
    const { x, y, width, height } = item.getBoundingClientRect();
    if (width >= size && height >= size) continue;
    const right = Math.abs(event.clientX - x - width / 2);
    const down = Math.abs(event.clientY - y - height / 2);
    const isIn = right <= Math.max(size, width) / 2 && down <= Math.max(size, height) / 2;
    const distance = Math.hypot(right, down);
    if (isIn && distance < least) [found, least] = [item, distance];
  }
  return found;
}
