// The moves of a person: buttons with number keys, and a field to type a move into.

import { fill, h, newId } from "./dom.js";
import { S } from "./strings.js";

const MANY = 60; // the most buttons; the typed text selects among more moves

export class Moves {
  /** play: takes an action. type: takes a text, which the server reads. */
  constructor(play, type) {
    this.play = play;
    this.actions = [];
    this.list = h("div", { class: "buttons", role: "group", "aria-label": S.table.moves });
    this.note = h("p", { class: "soft small" });
    const id = newId();
    this.typed = h("input", { id, type: "text", maxLength: 200, autocomplete: "off", spellcheck: false, oninput: () => this.draw() });
    const send = (event) => {
      event.preventDefault();
      if (this.typed.value.trim()) type(this.typed.value.trim());
    };
    this.form = h("form", { class: "typed", onsubmit: send },
      h("label", { for: id, class: "hidden-text" }, S.table.typed), this.typed,
      h("button", { type: "submit" }, S.table.send));
    this.typed.placeholder = S.table.typed;
    this.element = h("div", { class: "moves" }, this.list, this.note, this.form);
    document.addEventListener("keydown", (event) => this.press(event));
  }

  show(actions) {
    if (JSON.stringify(actions) === JSON.stringify(this.actions)) return;
    const focused = this.list.contains(document.activeElement) || document.activeElement === this.typed;
    this.actions = actions;
    this.typed.value = "";
    this.element.hidden = !actions.length;
    this.draw();
    if (focused && actions.length) (actions.length > MANY ? this.typed : this.list.querySelector("button"))?.focus();
  }

  matching() {
    const text = this.typed.value.trim().toLowerCase();
    if (!text) return this.actions;
    return this.actions.filter((action) => action.name.toLowerCase().startsWith(text));
  }

  draw() {
    const shown = this.matching();
    const few = this.actions.length <= 9;
    fill(this.list, shown.slice(0, MANY).map((action, place) =>
      h("button", { type: "button", "data-move": action.action, onclick: () => this.play(action.action) },
        few ? h("kbd", { "aria-hidden": "true" }, String(this.actions.indexOf(action) + 1)) : null,
        action.name)));
    fill(this.note, shown.length > MANY ? S.table.many(shown.length) : shown.length ? "" : this.actions.length ? S.table.none : "");
  }

  /** Play by number keys, except while a field has the focus. */
  press(event) {
    const typing = event.target.closest?.("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.altKey || event.metaKey || this.actions.length > 9) return;
    const action = /^[1-9]$/.test(event.key) ? this.actions[Number(event.key) - 1] : undefined;
    if (action) this.play(action.action);
  }
}
