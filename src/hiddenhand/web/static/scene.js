// Draws a scene, which `Game.picture` returns as plain data, as SVG.
//
// `drawn` turns a scene into plain nodes, {tag, attributes, children, text}; `drawScene` turns
// these into elements. The writer of SVG files, hiddenhand/games/drawing/svg.py, has the same
// functions in the same order, and a test compares what both draw.

import { itemMeant, markMeant } from "./taps.js";

const CARD_SHAPE = 1.4;
const SUITS = { c: ["♣", "green"], d: ["♦", "blue"], h: ["♥", "red"], s: ["♠", ""] };
const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];
const SVG = "http://www.w3.org/2000/svg";

/** The nodes of a scene: the root, which holds a node for each item. */
export function drawn(scene) {
  const paper = node("rect", { class: "paper", width: scene.width, height: scene.height });
  return node(
    "svg",
    {
      xmlns: SVG,
      class: "scene",
      viewBox: `0 0 ${number(scene.width)} ${number(scene.height)}`,
      width: scene.width,
      height: scene.height,
      role: "group",
      "aria-label": scene.label || "picture",
    },
    [paper, ...scene.items.map(drawnItem)],
  );
}

/** The node of an item. */
export function drawnItem(item) {
  const attributes = { class: [item.kind, item.role].filter(Boolean).join(" ") };
  if (item.action !== undefined || item.choices) {
    if (item.choices) attributes["data-choices"] = item.choices.join(" ");
    else attributes["data-action"] = item.action;
    attributes.tabindex = 0;
    attributes.role = "button";
    attributes["aria-label"] = item.label || "a choice";
  } else if (item.label) {
    attributes.role = "img";
    attributes["aria-label"] = item.label;
  } else {
    attributes["aria-hidden"] = "true";
  }
  return node("g", attributes, SHAPES[item.kind](item));
}

const SHAPES = {
  rect: (item) => [
    node("rect", {
      x: item.x,
      y: item.y,
      width: item.width,
      height: item.height,
      rx: item.corner,
    }),
  ],
  circle: (item) => [node("circle", { cx: item.x, cy: item.y, r: item.radius })],
  polygon: (item) => [node("polygon", { points: corners(item.points) })],
  line: (item) => [line(item)],
  arrow: (item) => [
    line(item),
    node("polygon", { class: "head", points: corners(arrowHead(item)) }),
  ],
  text: (item) => [words(null, item.x, item.y, item.size, item.text, item.anchor)],
  card: (item) => (item.rank ? cardFace(item) : cardBack(item)),
  chip: (item) => {
    const parts = [
      node("circle", { class: "coin", cx: item.x, cy: item.y, r: item.radius }),
      node("circle", { class: "rim", cx: item.x, cy: item.y, r: item.radius * 0.8 }),
    ];
    if (item.text) {
      const size = item.radius * (item.text.length > 2 ? 0.7 : 0.9);
      parts.push(words("stamp", item.x, item.y, size, item.text));
    }
    return parts;
  },
  die: (item) => (item.face ? dieFace(item) : dieHidden(item)),
};

function line(item) {
  return node("polyline", { points: corners(item.points), "stroke-width": item.width });
}

/** The corners of the head of an arrow, whose length goes with its width. */
function arrowHead(item) {
  const [fromX, fromY] = item.points[item.points.length - 2];
  const [x, y] = item.points[item.points.length - 1];
  const length = Math.hypot(x - fromX, y - fromY) || 1;
  const size = 3 + 2 * item.width;
  const right = ((x - fromX) / length) * size;
  const down = ((y - fromY) / length) * size;
  return [
    [x + right / 2, y + down / 2],
    [x - right / 2 - down / 2, y - down / 2 + right / 2],
    [x - right / 2 + down / 2, y - down / 2 - right / 2],
  ];
}

function cardFace(item) {
  const [symbol, colour] = SUITS[item.suit] ?? [item.suit ?? "", ""];
  const print = ["print", colour].filter(Boolean).join(" ");
  const middle = item.x + item.width / 2;
  const height = item.width * CARD_SHAPE;
  const size = item.width * (item.rank.length > 2 ? 0.36 : 0.52);
  const parts = [paperOf(item, "face")];
  if (!symbol) {
    parts.push(words(print, middle, item.y + height / 2, size, item.rank));
  } else {
    parts.push(words(print, middle, item.y + height * 0.32, size, item.rank));
    parts.push(words(print, middle, item.y + height * 0.72, size, symbol));
  }
  return parts;
}

function cardBack(item) {
  const height = item.width * CARD_SHAPE;
  const inset = item.width * 0.14;
  const left = item.x + inset;
  const right = item.x + item.width - inset;
  const top = item.y + inset;
  const bottom = item.y + height - inset;
  const middle = [(left + right) / 2, (top + bottom) / 2];
  return [
    paperOf(item, "back"),
    node("rect", {
      class: "weave",
      x: left,
      y: top,
      width: right - left,
      height: bottom - top,
      rx: item.width * 0.06,
    }),
    node("polygon", {
      class: "weave",
      points: corners([
        [middle[0], top],
        [right, middle[1]],
        [middle[0], bottom],
        [left, middle[1]],
      ]),
    }),
  ];
}

function paperOf(item, name) {
  return node("rect", {
    class: name,
    x: item.x,
    y: item.y,
    width: item.width,
    height: item.width * CARD_SHAPE,
    rx: item.width * 0.1,
  });
}

function dieFace(item) {
  const parts = [dieBody(item, "face")];
  if (item.face < PIPS.length) {
    for (const place of PIPS[item.face]) {
      parts.push(
        node("circle", {
          class: "pip",
          cx: item.x + item.size * (0.25 + 0.25 * (place % 3)),
          cy: item.y + item.size * (0.25 + 0.25 * Math.floor(place / 3)),
          r: item.size * 0.09,
        }),
      );
    }
  } else {
    const middle = [item.x + item.size / 2, item.y + item.size / 2];
    parts.push(words("print", middle[0], middle[1], item.size * 0.5, `${item.face}`));
  }
  return parts;
}

function dieHidden(item) {
  const middle = [item.x + item.size / 2, item.y + item.size / 2];
  return [dieBody(item, "cup"), words("stamp", middle[0], middle[1], item.size * 0.55, "?")];
}

function dieBody(item, name) {
  return node("rect", {
    class: name,
    x: item.x,
    y: item.y,
    width: item.size,
    height: item.size,
    rx: item.size * 0.18,
  });
}

/** A line of words whose letters have their middle at height y. */
function words(name, x, y, size, text, anchor = "middle") {
  return node(
    "text",
    { class: name, x, y: y + size * 0.35, "font-size": size, "text-anchor": anchor },
    [],
    text,
  );
}

function corners(points) {
  return points.map(([x, y]) => `${number(x)},${number(y)}`).join(" ");
}

/** A number as it is written: in hundredths. */
function number(value) {
  return String(Math.round(value * 100) / 100 + 0);
}

function node(tag, attributes, children = [], text = "") {
  const written = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) {
      written[name] = typeof value === "number" ? number(value) : value;
    }
  }
  return { tag, attributes: written, children, text };
}

/** The SVG element of a scene. `onAction` is called with the action of an item that is clicked, or
    chosen by Enter or the space bar; or with the one action that all chosen items have in common. */
export function drawScene(scene, { onAction = null } = {}) {
  const root = element(drawn(scene));
  if (onAction) {
    let picked = [];
    const choose = (event) => {
      const chosen = itemMeant(root, event);
      if (!chosen) return;
      event.preventDefault();
      if (chosen.hasAttribute("data-action")) {
        onAction(Number(chosen.getAttribute("data-action")));
        return;
      }
      picked = pickedWith(chosen, picked);
      for (const item of root.querySelectorAll("[data-choices]")) item.setAttribute("aria-pressed", picked.includes(item));
      const left = picked.length ? inCommon(picked) : [];
      if (left.length === 1) onAction(left[0]);
    };
    root.addEventListener("click", choose);
    markMeant(root);
    root.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") choose(event);
    });
  }
  return root;
}

/** The picked items after a click on `chosen`. It replaces the items that share no action with it. A
    second click on it takes it back. */
function pickedWith(chosen, picked) {
  if (picked.includes(chosen)) return picked.filter((item) => item !== chosen);
  const fitting = picked.filter((item) => inCommon([item, chosen]).length);
  return inCommon([...fitting, chosen]).length ? [...fitting, chosen] : [chosen];
}

/** The actions that are choices of all items. */
function inCommon(items) {
  const choices = items.map((item) => item.getAttribute("data-choices").split(" ").map(Number));
  return choices[0].filter((action) => choices.every((some) => some.includes(action)));
}

/** The element of a node. */
export function element(plain) {
  const made = document.createElementNS(SVG, plain.tag);
  for (const [name, value] of Object.entries(plain.attributes)) {
    if (name !== "xmlns") made.setAttribute(name, value);
  }
  if (plain.text) made.textContent = plain.text;
  for (const child of plain.children) made.append(element(child));
  return made;
}
