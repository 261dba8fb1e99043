// The pictures of a position: scenes as SVG, or the text of the game.

import { fill, h } from "./dom.js";
import { recall, remember } from "./memory.js";
import { animate, changes, mark, marked } from "./motion.js";
import { drawScene } from "./scene.js";
import { T } from "./texts.js";

const PUBLIC = -5;
const ALL = -6;
const LARGEST = 2.4; // how many times its natural size a scene may have

/** @typedef {{of: number, text?: string, scene?: any}} Picture */

export class Board {
  /**
   * @param {(action: number) => void} onAction takes the action of an item that was clicked
   * @param {number | null} you the seat of this page
   * @param {(svg: SVGSVGElement, picture: Picture) => void} onDraw called after a scene is drawn
   */
  constructor(onAction, you, onDraw = () => {}) {
    this.onAction = onAction;
    this.you = you;
    this.onDraw = onDraw;
    this.asText = recall("as text") === "yes";
    /** @type {Picture[]} */
    this.pictures = [];
    /** @type {Map<number, {index: number, from: [number, number] | null}[]>} */
    this.changed = new Map();
    /** @type {Map<number, string[]>} */
    this.marks = new Map();
    this.place = h("div", { class: "pictures" });
    this.element = h("div", { class: "stack" }, this.place);
  }

  /** Take the pictures of a match that goes on. They are compared with those before. */
  note(pictures) {
    const before = this.noted ?? [];
    this.noted = pictures;
    for (const picture of pictures) {
      const old = before.find((other) => other.of === picture.of);
      if (!old?.scene || !picture.scene) continue;
      const found = changes(old.scene, picture.scene);
      if (!found.length) continue;
      this.changed.set(picture.of, found);
      this.marks.set(picture.of, marked(picture.scene, found) ?? this.marks.get(picture.of) ?? []);
    }
  }

  /** Draw pictures. @param {Picture[]} pictures @param {boolean} marking whether to mark the last move */
  show(pictures, marking = true) {
    const same = JSON.stringify(pictures) === JSON.stringify(this.pictures);
    if (same && this.place.childElementCount) return;
    this.pictures = pictures;
    const held = this.place.contains(document.activeElement) ? document.activeElement : null;
    const focused = held?.getAttribute("data-action") ?? null;
    fill(this.place, pictures.length ? pictures.map((picture) => this.drawn(picture)) : h("p", { class: "soft" }, T.status.nothingPublic));
    if (focused !== null) this.place.querySelector(`[data-action="${focused}"]`)?.focus();
    const drawn = this.scenes();
    for (const [svg, picture] of drawn) {
      if (marking) {
        animate(svg, picture.scene, this.changed.get(picture.of) ?? []);
        mark(svg, picture.scene, this.marks.get(picture.of) ?? []);
      }
      this.onDraw(svg, picture);
    }
    this.changed.clear();
  }

  /** Draw the last pictures anew. */
  redraw() {
    const { pictures } = this;
    this.pictures = [];
    this.show(pictures);
  }

  /** The drawn scenes, each with its picture. @returns {[SVGSVGElement, Picture][]} */
  scenes() {
    return this.pictures.flatMap((picture, place) => {
      const svg = this.place.children[place]?.querySelector("svg.scene");
      return svg ? [[/** @type {SVGSVGElement} */ (svg), picture]] : [];
    });
  }

  /** Whether the pictures can be shown as text too. */
  get hasText() {
    return this.pictures.some((picture) => picture.scene && picture.text);
  }

  turn() {
    this.asText = !this.asText;
    remember("as text", this.asText ? "yes" : "no");
    this.redraw();
  }

  /** The actions that can be chosen in the pictures. @returns {Set<number>} */
  get clickable() {
    if (this.asText && this.hasText) return new Set();
    const items = this.pictures.flatMap((picture) => picture.scene?.items ?? []);
    return new Set(items.flatMap((item) => item.choices ?? (item.action === undefined ? [] : [item.action])));
  }

  /** Whether an action is chosen by several items together. */
  get hasChoices() {
    return this.pictures.some((picture) => picture.scene?.items.some((item) => item.choices));
  }

  /** @param {Picture} picture */
  drawn(picture) {
    const alone = this.pictures.length === 1;
    const who = picture.of === this.you ? T.you.toLowerCase() : T.player(picture.of).toLowerCase();
    const caption = alone || picture.of === ALL || picture.of === PUBLIC ? null : h("figcaption", {}, T.status.sees(who));
    if (!picture.scene || (this.asText && picture.text)) {
      return h("figure", { class: "words" }, h("pre", { tabindex: 0, role: "region", "aria-label": T.picture }, picture.text ?? ""), caption);
    }
    const svg = drawScene(picture.scene, { onAction: this.onAction });
    svg.style.maxWidth = `${LARGEST * picture.scene.width}px`;
    return h("figure", {}, svg, caption);
  }
}
