// The form of a new experiment. What the server refuses is said beside the field.

import { fill, h, newId } from "./dom.js";
import { LAB as L } from "./lab_texts.js";

const MOST = { convergence: 4, tournament: 10 };
const USUAL = {
  convergence: ["cfr+", "oos", "smooth-uct"],
  tournament: ["random", "ismcts", "oos(targeting=ist)"],
};

function field(name, input, ...more) {
  input.id = newId();
  return h("div", { class: "field" }, h("label", { for: input.id }, name), input, ...more);
}

/** A place for a refusal, which is read aloud and belongs to fields. */
function refusal() {
  return h("p", { class: "wrong small", role: "alert", id: newId() });
}

export class LabForm {
  /** @param {(message: object) => void} say sends a message */
  constructor(say) {
    this.say = say;
    this.kind = "convergence";
    const text = { type: "text", class: "mono wide", maxLength: 1000, autocomplete: "off", spellcheck: false, required: true };
    const number = (value, more) => h("input", { type: "number", required: true, value, ...more });
    this.game = h("input", { ...text, value: "leduc_poker", list: "games" });
    this.seconds = number(5, { min: 0.01, max: 120, step: 0.01 });
    this.matches = number(50, { min: 1, max: 1000, step: 1 });
    this.seed = number(0, { min: 0, step: 1 });
    this.players = h("fieldset", {});
    this.legend = h("legend", {});
    this.more = h("button", { type: "button", class: "quiet small", onclick: () => { this.add(""); this.rows().at(-1).focus(); } }, L.more);
    this.wrong = { game: refusal(), players: refusal(), "": refusal() };
    const group = newId();
    const radio = (kind) => h("label", {}, h("input", { type: "radio", name: group, value: kind, checked: kind === this.kind, onchange: () => this.turn(kind) }), L.kinds[kind]);
    this.secondsField = field("", this.seconds);
    this.matchesField = field(L.matches, this.matches);
    this.element = h("form", { class: "stack", onsubmit: (event) => this.begin(event) },
      h("div", { class: "kinds", role: "radiogroup", "aria-label": L.kind }, radio("convergence"), radio("tournament")),
      field(L.game, this.game, this.wrong.game), this.players, this.wrong.players,
      h("div", { class: "numbers" }, this.secondsField, this.matchesField, field(L.seed, this.seed)),
      this.wrong[""],
      h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, L.go)));
    this.game.setAttribute("aria-describedby", this.wrong.game.id);
    this.turn("convergence");
  }

  rows() {
    return [...this.players.querySelectorAll("input")];
  }

  add(value) {
    const number = this.rows().length + 1;
    const input = h("input", { type: "text", class: "mono", value, list: "bots", maxLength: 500, autocomplete: "off", spellcheck: false, "aria-label": L.player(number), "aria-describedby": this.wrong.players.id });
    const row = h("div", { class: "player" }, input, h("button", { type: "button", class: "quiet round", "aria-label": L.less(number), onclick: () => { row.remove(); this.limit(); } }, "✕"));
    this.players.insertBefore(row, this.more);
    this.limit();
  }

  limit() {
    this.more.hidden = this.rows().length >= MOST[this.kind];
  }

  /** Show the fields of a kind of experiment. */
  turn(kind) {
    this.kind = kind;
    this.clear();
    fill(this.legend, L.players[kind]);
    fill(this.players, this.legend, this.more);
    for (const name of USUAL[kind]) this.add(name);
    fill(this.secondsField.firstChild, L.seconds[kind]);
    this.seconds.value = kind === "convergence" ? 5 : 0.1;
    this.matchesField.hidden = kind === "convergence";
  }

  begin(event) {
    event.preventDefault();
    this.clear();
    this.say({
      type: "lab_open", kind: this.kind, game: this.game.value.trim(), players: this.rows().map((input) => input.value.trim()).filter(Boolean),
      seconds: Number(this.seconds.value), matches: this.kind === "convergence" ? 0 : Number(this.matches.value), seed: Number(this.seed.value),
    });
  }

  clear() {
    for (const place of Object.values(this.wrong)) fill(place);
    this.game.removeAttribute("aria-invalid");
  }

  /**
   * Say what the server refuses.
   * @param {{field: string, why: string}} frame
   */
  refuse({ field: name, why }) {
    this.clear();
    fill(this.wrong[name] ?? this.wrong[""], `${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
    if (name !== "game") return;
    this.game.setAttribute("aria-invalid", "true");
    this.game.focus();
  }
}
