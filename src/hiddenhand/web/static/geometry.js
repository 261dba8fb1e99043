// Where the items of a scene lie, for what is drawn over them.

const CARD_SHAPE = 1.4;
const LETTER = 0.58; // how wide a letter is, as a part of its size

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** The least box around an item. @returns {Box} */
export function boxOf(item) {
  switch (item.kind) {
    case "rect":
      return { x: item.x, y: item.y, width: item.width, height: item.height };
    case "card":
      return { x: item.x, y: item.y, width: item.width, height: item.width * CARD_SHAPE };
    case "die":
      return { x: item.x, y: item.y, width: item.size, height: item.size };
    case "text":
      return textBox(item);
    default:
      return item.points ? pointsBox(item.points) : around(item, item.radius);
  }
}

function around({ x, y }, radius) {
  return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
}

function textBox({ x, y, text, size, anchor }) {
  const width = text.length * size * LETTER;
  const left = { start: x, middle: x - width / 2, end: x - width }[anchor];
  return { x: left, y: y - size / 2, width, height: size };
}

function pointsBox(points) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** The middle of a box. @param {Box} box @returns {[number, number]} */
export function middleOf(box) {
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Whether a point lies in a box. @param {Box} box @param {[number, number]} point */
export function holds(box, [x, y]) {
  return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
}

/** Whether one box lies in another. @param {Box} one @param {Box} other */
export function isWithin(one, other) {
  const slack = 0.5;
  return one.x >= other.x - slack && one.y >= other.y - slack
    && one.x + one.width <= other.x + other.width + slack && one.y + one.height <= other.y + other.height + slack;
}

/**
 * How wide a picture around the middle of a box may be, beside the items at its height.
 * @param {{width: number, items: any[]}} scene
 * @param {Box} box
 */
export function roomAround(scene, box) {
  const [middle] = middleOf(box);
  let half = Math.min(middle, scene.width - middle) - 10;
  for (const item of scene.items) {
    const other = boxOf(item);
    if (other.y >= box.y + box.height || other.y + other.height <= box.y) continue;
    if (isWithin(other, box) || isWithin(box, other)) continue;
    if (other.x + other.width / 2 < middle) half = Math.min(half, middle - other.x - other.width - 4);
    else half = Math.min(half, other.x - middle - 4);
  }
  return 2 * Math.max(half, box.width / 2);
}
