// The row under the board: one's moves, what a match needs besides, and its result. It keeps its
// place and its height. Moves that can be chosen on the board have no buttons here; a list of all
// moves opens below, with a field to type a move into.

import { fill, h, newId } from "./dom.js";
import { T } from "./texts.js";

const MANY = 60; // the most buttons of the list; the typed text selects among more moves
const IN_ROW = 8; // the most buttons beside each other
const KEYS = 9;

/** @typedef {{action: number, name: string}} Action */

export class Row {
  /**
   * @param {object} options
   * @param {(action: number) => void} options.play plays an action
   * @param {(text: string) => void} options.type plays a typed move
   * @param {() => void} options.onDraw called after buttons were drawn
   */
  constructor({ play, type, onDraw }) {
    this.play = play;
    this.onDraw = onDraw;
    /** @type {Action[]} */
    this.actions = [];
    /** @type {Action[]} the moves that cannot be chosen on the board */
    this.rest = [];
    this.mine = false;
    this.hint = "";
    this.buttons = h("div", { class: "buttons", role: "group", "aria-label": T.row.label });
    this.extras = h("div", { class: "extras" });
    this.list = h("div", { class: "list", role: "group", "aria-label": T.row.label });
    this.note = h("p", { class: "soft small", "aria-live": "polite" });
    const id = newId();
    this.typed = h("input", { id, type: "text", maxLength: 200, autocomplete: "off", spellcheck: false, oninput: () => this.drawList() });
    const send = (event) => {
      event.preventDefault();
      if (this.typed.value.trim() && this.mine) type(this.typed.value.trim());
    };
    this.send = h("button", { type: "submit" }, T.row.play);
    this.drawer = h("div", { class: "drawer", id: newId() },
      h("form", { class: "typed", onsubmit: send }, h("label", { for: id }, T.row.typed), this.typed, this.send),
      this.list, this.note);
    this.drawer.hidden = true;
    this.opener = h("button", { class: "quiet", type: "button", "aria-expanded": "false", "aria-controls": this.drawer.id, onclick: () => this.turn() }, T.row.all);
    this.element = h("div", { class: "row-of-moves" }, h("div", { class: "moves-line" }, this.buttons, this.opener, this.extras), this.drawer);
    document.addEventListener("keydown", (event) => this.press(event));
    this.said = "";
  }

  /** Open or close the list of all moves. */
  turn() {
    this.setOpen(this.drawer.hidden);
    this.drawList();
    if (!this.drawer.hidden) this.typed.focus();
  }

  /**
   * Show the moves. While others move, the last ones stay, and cannot be chosen.
   * @param {boolean} mine whether it is one's turn
   * @param {Action[]} actions one's moves
   * @param {{clickable: Set<number>, hasChoices: boolean}} board what can be chosen on the board
   */
  show(mine, actions, { clickable, hasChoices }) {
    const said = JSON.stringify([mine, actions, [...clickable], hasChoices]);
    if (said === this.said) return;
    this.said = said;
    const held = this.element.contains(document.activeElement) ? document.activeElement : null;
    const wasTyping = held === this.typed;
    if (mine) {
      this.actions = actions;
      this.typed.value = "";
      this.rest = actions.filter(({ action }) => !clickable.has(action));
      const onBoard = this.rest.length < actions.length;
      const tooMany = this.rest.length > IN_ROW;
      this.hint = onBoard ? (hasChoices ? T.row.steps : T.row.onBoard) : tooMany ? T.row.below : "";
      if (tooMany && !onBoard) this.setOpen(true); // there is no other way
    }
    this.mine = mine;
    this.drawRow();
    this.drawList();
    this.onDraw();
    this.send.disabled = !mine;
    if (wasTyping) this.typed.focus();
    else if (held && mine && !this.element.contains(document.activeElement)) this.buttons.querySelector("button")?.focus();
  }

  /** Show what stands in place of moves. @param {...any} parts */
  showInstead(...parts) {
    this.said = "";
    this.mine = false;
    this.actions = [];
    this.opener.hidden = true;
    this.drawer.hidden = true;
    fill(this.buttons, ...parts);
  }

  /** Show buttons at the end of the row. @param {...any} parts */
  showExtras(...parts) {
    fill(this.extras, ...parts);
  }

  drawRow() {
    const few = this.rest.length <= IN_ROW ? this.rest : [];
    const hint = this.mine ? this.hint : few.length ? "" : T.row.wait;
    this.opener.hidden = !this.actions.length;
    const inRow = this.rest.length === this.actions.length && few.length;
    this.opener.textContent = inRow ? T.row.typing : T.row.all;
    this.opener.classList.toggle("wide", Boolean(inRow)); // on a narrow page, buttons need the room
    fill(this.buttons, hint ? h("span", { class: "soft hint" }, hint) : null, few.map((action) => this.button(action)));
  }

  /** @param {boolean} open */
  setOpen(open) {
    this.drawer.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
  }

  /** @param {Action} action */
  button(action) {
    const number = this.actions.indexOf(action) + 1;
    const hasKey = this.actions.length <= KEYS;
    return h("button", { type: "button", class: "move", disabled: !this.mine, "data-move": action.action, onclick: () => this.play(action.action) },
      hasKey ? h("kbd", { "aria-hidden": "true" }, String(number)) : null, action.name);
  }

  drawList() {
    if (this.drawer.hidden) return;
    const text = this.typed.value.trim().toLowerCase();
    const shown = this.actions.filter(({ name }) => name.toLowerCase().startsWith(text));
    const inRow = !text && this.rest.length === this.actions.length && this.actions.length <= IN_ROW;
    fill(this.list, inRow ? [] : shown.slice(0, MANY).map((action) => this.button(action)));
    fill(this.note, shown.length > MANY ? T.row.many(shown.length) : shown.length || !this.actions.length ? "" : T.row.none);
    this.onDraw();
  }

  /** Play by number keys, except while a field has the focus. @param {KeyboardEvent} event */
  press(event) {
    const target = /** @type {Element} */ (event.target);
    const typing = target.closest?.("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.altKey || event.metaKey || !this.mine || this.actions.length > KEYS) return;
    const action = /^[1-9]$/.test(event.key) ? this.actions[Number(event.key) - 1] : undefined;
    if (action) this.play(action.action);
  }
}
