// The pictures of a position: scenes as SVG, or the text of the game.

import { fill, h } from "./dom.js";
import { drawScene } from "./scene.js";
import { S } from "./strings.js";

const PUBLIC = -5;
const ALL = -6;

export class Board {
  /** onAction: takes the action of an item that was clicked. you: the seat of this page, or null.
      onDraw: called with a scene that was drawn, and its picture. */
  constructor(onAction, you, onDraw = () => {}) {
    this.onDraw = onDraw;
    this.onAction = onAction;
    this.you = you;
    this.asText = localStorage.getItem("as text") === "yes";
    this.pictures = [];
    this.place = h("div", { class: "pictures" });
    this.switch = h("button", { class: "quiet small", type: "button", onclick: () => this.turn() });
    this.element = h("div", { class: "stack" }, this.place);
  }

  show(pictures) {
    const same = JSON.stringify(pictures) === JSON.stringify(this.pictures);
    if (same && this.place.childElementCount) return;
    this.pictures = pictures;
    const focused = this.place.contains(document.activeElement)
      ? document.activeElement.getAttribute("data-action")
      : null;
    fill(this.place, pictures.length ? pictures.map((picture) => this.drawn(picture)) : h("p", { class: "soft" }, S.table.nothingPublic));
    if (focused !== null) this.place.querySelector(`[data-action="${focused}"]`)?.focus();
    for (const [svg, picture] of this.scenes()) this.onDraw(svg, picture);
    this.switch.hidden = !pictures.some((picture) => picture.scene && picture.text);
    this.switch.textContent = this.asText ? S.table.asPicture : S.table.asText;
  }

  /** The drawn scenes, each with its picture. */
  scenes() {
    return this.pictures.flatMap((picture, place) => {
      const svg = this.place.children[place]?.querySelector("svg.scene");
      return svg ? [[svg, picture]] : [];
    });
  }

  turn() {
    this.asText = !this.asText;
    localStorage.setItem("as text", this.asText ? "yes" : "no");
    const pictures = this.pictures;
    this.pictures = [];
    this.show(pictures);
  }

  drawn(picture) {
    const alone = this.pictures.length === 1;
    const who = picture.of === this.you ? S.table.you : S.table.seat(picture.of + 1);
    const caption = alone || picture.of === ALL || picture.of === PUBLIC ? null : h("figcaption", {}, S.table.sees(who));
    const shown =
      picture.scene && !(this.asText && picture.text)
        ? drawScene(picture.scene, { onAction: this.onAction })
        : h("pre", { tabindex: 0, "aria-label": S.table.picture }, picture.text ?? "");
    return h("figure", {}, shown, caption);
  }
}
