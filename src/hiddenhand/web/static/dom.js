// Makes elements: `h("p", { class: "lead" }, "words")`. Words are always text, never markup.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.startsWith("aria") && name !== "list") element[name] = value;
    else element.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The data-name of the element that has the focus, if it lies in another; else null. @param {Element} place */
export function focusedName(place) {
  const held = document.activeElement;
  return held instanceof HTMLElement && place.contains(held) ? held.dataset.name ?? null : null;
}

/** Make the browser save a file. @param {BlobPart} content @param {string} name @param {string} type */
export function download(content, name, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of SVG. */
export function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** A text in SVG that begins at a point, ends there, or has the point in its middle. */
export function label(x, y, anchor, text) {
  const element = shape("text", { x, y, "text-anchor": anchor });
  element.textContent = text;
  return element;
}

let last = 0;

/** A new id, for labels. */
export function newId() {
  last += 1;
  return `id${last}`;
}

/** A number in a short form: 1,234, 0.25, 1.2e-7. */
export function figure(value) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(4)));
}

/** A payoff with its sign. */
export function signed(value) {
  return value > 0 ? `+${figure(value)}` : figure(value).replace("-", "−");
}

export function percent(p) {
  const shown = 100 * p;
  return `${shown >= 9.95 || shown === 0 ? shown.toFixed(0) : shown.toFixed(1)}%`;
}

/** Copy a text; resolves to whether that worked. Pages of other machines without encryption have no
    clipboard, and some browsers refuse it.
    @param {string} value
    @param {HTMLInputElement} [field] a field that shows the text; it stays selected */
export async function copyText(value, field = undefined) {
  try {
    await navigator.clipboard.writeText(value);
    field?.select();
    return true;
  } catch {
    const shown = field ?? h("input", { type: "text", readOnly: true, value, class: "hidden-text" });
    if (!field) document.body.append(shown);
    shown.select();
    const copied = document.execCommand("copy");
    if (!field) shown.remove();
    return copied;
  }
}
