// The replay of a match that is over, or of a match of bots: position by position, as one seat saw
// it or with everything shown.

import { fill, h, newId } from "./dom.js";
import { S } from "./strings.js";

const ALL = -6;

export class Replay {
  /** say: sends a message. onPosition: takes the position that the server sends. */
  constructor(say, onPosition, players) {
    this.say = say;
    this.onPosition = onPosition;
    this.ply = 0;
    this.plies = 0;
    const id = newId();
    this.slider = h("input", { id, type: "range", min: 0, value: 0, oninput: () => this.go(Number(this.slider.value)) });
    this.said = h("p", { class: "soft small", "aria-live": "polite" });
    this.seat = h("select", { id: newId(), onchange: () => this.go(this.ply) },
      h("option", { value: ALL }, S.replay.all),
      players.map((_, seat) => h("option", { value: seat }, S.replay.seat(seat + 1))));
    const step = (sign, name, to) => h("button", { class: "step", type: "button", "aria-label": name, title: name, onclick: () => this.go(to()) }, sign);
    this.element = h("section", { class: "card panel replay" },
      h("div", { class: "row between" }, h("h2", {}, S.replay.title), h("span", { class: "row" }, h("label", { for: this.seat.id }, S.replay.seenBy), this.seat)),
      h("div", { class: "row" },
        step("«", S.replay.first, () => 0), step("‹", S.replay.back, () => this.ply - 1),
        h("label", { for: id, class: "hidden-text" }, S.replay.slider), this.slider,
        step("›", S.replay.on, () => this.ply + 1), step("»", S.replay.last, () => this.plies)),
      this.said,
      h("div", { class: "row" },
        h("button", { type: "button", onclick: () => this.copyLink() }, S.replay.link),
        h("button", { type: "button", onclick: () => say({ type: "record" }) }, S.replay.record),
        h("button", { type: "button", onclick: () => say({ type: "film", seat: Number(this.seat.value) }) }, S.replay.film)),
      h("p", { class: "soft small" }, S.replay.hint));
    this.element.hidden = true;
    document.addEventListener("keydown", (event) => this.press(event));
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Begin at a position: that of a link, or the last. */
  open(plies, linked) {
    this.plies = plies;
    this.slider.max = plies;
    this.element.hidden = false;
    if (linked?.seat !== undefined) this.seat.value = String(linked.seat);
    this.go(linked?.ply ?? plies);
  }

  go(ply) {
    this.ply = Math.max(0, Math.min(this.plies, ply));
    this.slider.value = this.ply;
    this.say({ type: "look", ply: this.ply, seat: Number(this.seat.value) });
  }

  take(frame) {
    if (frame.ply !== this.ply) return; // an answer to an earlier message
    const who = frame.mover >= 0 ? S.replay.toMove(frame.mover + 1) : frame.mover === -1 ? S.replay.chance : S.replay.end;
    fill(this.said, `${S.replay.ply(this.ply, this.plies)}. ${who}.`);
    this.slider.setAttribute("aria-valuetext", S.replay.ply(this.ply, this.plies));
    this.onPosition(frame);
  }

  press(event) {
    if (!this.isOpen || event.target.closest?.("input:not([type=range]), select, textarea, dialog")) return;
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.plies }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.go(to);
  }

  /** A link to this position, without the token of a seat. */
  get address() {
    return `${location.origin}${location.pathname}?ply=${this.ply}&seat=${this.seat.value}`;
  }

  copyLink() {
    navigator.clipboard?.writeText(this.address);
    history.replaceState(null, "", `${location.pathname}?ply=${this.ply}&seat=${this.seat.value}${location.hash}`);
  }
}

/** The position that the address of the page links to, if it does. */
export function linkedPosition() {
  const asked = new URLSearchParams(location.search);
  if (!asked.has("ply")) return null;
  const seat = Number(asked.get("seat") ?? ALL);
  return { ply: Number(asked.get("ply")) || 0, seat: Number.isInteger(seat) ? seat : ALL };
}
