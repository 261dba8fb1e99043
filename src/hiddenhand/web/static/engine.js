// The engine: a switch that lets a search think at each position, and what it finds. A second search
// can be compared with it. At a table of bots, the panel shows their own thinking.

import { Below } from "./below.js";
import { Course } from "./course.js";
import { fill, figure, h, newId } from "./dom.js";
import { recall, remember } from "./memory.js";
import { MovesTable } from "./moves_table.js";
import { Ranges } from "./range_grid.js";
import { Secrets } from "./secrets.js";
import { T } from "./texts.js";

const E = T.engine;
const TIMES = [3, 10, 30, 60]; // seconds
const CUSTOM = "custom";
const STEADY = 2; // percentage points that a belief may move
const SETTLED = 120; // milliseconds without a new position, until the engine begins to think
const DEBUG = new URLSearchParams(location.search).has("debug");

/** @typedef {{key: string, ply?: number, may: boolean, why: string}} Position
 * key: tells positions apart. ply: of a position of a replay. may: whether a search may think here.
 * why: why it may not. */

export class Engine {
  /**
   * @param {object} options
   * @param {(message: object) => void} options.say sends a message
   * @param {any} options.table the frame that describes the table
   * @param {(frame: any) => void} [options.onThought] takes each report of the first search, with the
   *   names and actions of its moves; null when there is none for this position
   */
  constructor({ say, table, onThought = () => {} }) {
    this.say = say;
    this.table = table;
    this.onThought = onThought;
    this.people = table.players.filter((player) => player === "person").length;
    this.isOn = this.people < 2 && recall("engine") === "on";
    /** @type {Position} */
    this.position = { key: "", may: false, why: "" };
    this.showsBots = table.sees === "all";
    this.slots = [0, 1].map((slot) => new Slot(slot, this));
    this.isComparing = false;
    this.switch = h("button", { class: "switch", type: "button", role: "switch", "aria-label": E.turn, "aria-checked": "false", onclick: () => this.turn(!this.isOn) }, h("span", { class: "knob" }));
    const time = recall("engine seconds") ?? "10";
    this.seconds = h("select", { id: newId(), "aria-label": E.seconds, onchange: () => this.setTime() }, TIMES.map((value) => h("option", { value, selected: String(value) === time }, E.secondsOf(value))));
    this.compare = h("button", { class: "quiet small", type: "button", onclick: () => this.setComparing(true) }, E.compare);
    this.single = h("button", { class: "quiet round", type: "button", "aria-label": E.single, title: E.single, onclick: () => this.setComparing(false) }, "✕");
    this.note = h("p", { class: "soft small note", "aria-live": "polite" });
    this.heading = h("p", { class: "small" });
    this.moves = new MovesTable(table.unit);
    this.secrets = new Secrets();
    this.ranges = new Ranges();
    this.doubt = h("p", { class: "trust small moving doubt", title: E.levelTitle });
    this.course = new Course(table.unit, () => this.wantExact());
    this.work = h("p", { class: "soft small" });
    this.below = new Below((secret, way) => say({ type: "below", slot: 0, secret, way }));
    this.how = h("details", { class: "how" }, h("summary", {}, E.how), h("div", { class: "stack" }, this.course.element, this.work, this.below.element));
    this.how.addEventListener("toggle", () => this.drawCourse());
    this.element = h("section", { class: "card engine", "aria-label": E.title },
      h("div", { class: "head" }, h("h2", {}, E.title), this.switch, this.slots[0].mark),
      h("div", { class: "controls" }, this.slots[0].controls, this.seconds, this.compare),
      h("div", { class: "controls second" }, this.slots[1].controls, this.single),
      this.slots[1].mark,
      this.note, this.heading, this.moves.element, this.ranges.element, this.secrets.element, this.doubt, this.how);
    this.wait = 0;
    this.exact = false;
    this.draw();
  }

  /** Take the engines that fit the game. @param {{offered: string[]}} frame */
  takeEngines(frame) {
    for (const slot of this.slots) slot.offer(frame.offered);
    this.course.isSmall = frame.offered.includes("equilibrium");
    this.think();
  }

  /** Turn the engine on or off. @param {boolean} on */
  turn(on) {
    this.isOn = on;
    if (this.people < 2) remember("engine", on ? "on" : "off");
    else this.say({ type: "engine", on });
    if (on) this.think();
    else for (const slot of this.slots) slot.stop();
    this.draw();
  }

  setTime() {
    remember("engine seconds", this.seconds.value);
    this.think();
  }

  /** @param {boolean} comparing */
  setComparing(comparing) {
    this.isComparing = comparing;
    if (comparing) this.slots[1].think();
    else this.slots[1].stop();
    this.draw();
  }

  /** The reader wants nash_conv, which takes a part of the time. */
  wantExact() {
    if (this.exact) return;
    this.exact = true;
    this.think();
  }

  /** The page shows a position. @param {Position} position */
  show(position) {
    const isNew = position.key !== this.position.key || position.may !== this.position.may;
    this.position = position;
    if (!isNew) return;
    for (const slot of this.slots) slot.stop();
    this.think();
    this.draw();
  }

  /** Let the searches think about the present position, soon. */
  think() {
    clearTimeout(this.wait);
    for (const slot of this.slots) slot.stop();
    if (this.mayThink) this.wait = setTimeout(() => this.slots.forEach((slot) => (slot.slot === 0 || this.isComparing) && slot.think()), SETTLED);
    this.draw();
  }

  get mayThink() {
    return this.isOn && this.position.may;
  }

  /** @param {any} frame a report of a search */
  take(frame) {
    this.slots[frame.slot].take(frame);
    if (frame.slot === 0) this.onThought(this.slots[0].last);
    this.draw();
  }

  /** A message to a search was refused. @param {string} why */
  refuse(why) {
    for (const slot of this.slots) slot.refuse(why);
    this.draw();
  }

  /** @param {any} frame a report of a bot of this match */
  takeBot(frame) {
    if (!this.showsBots) return;
    const known = this.bot;
    this.bot = { seat: frame.seat, ply: frame.ply, last: frame, frames: known?.ply === frame.ply ? [...known.frames, frame] : [frame] };
    this.draw();
  }

  /** The match is over, so its bots think no more. */
  end() {
    this.showsBots = false;
    this.bot = null;
    this.draw();
  }

  /** What the panel shows: reports of searches that a person started, or of a bot. */
  get shown() {
    if (this.mayThink || !this.bot) return this.slots.filter((slot) => slot.slot === 0 || this.isComparing);
    return [this.bot];
  }

  draw() {
    const { isOn, position } = this;
    this.switch.setAttribute("aria-checked", String(isOn));
    this.element.classList.toggle("off", !isOn);
    this.element.classList.toggle("comparing", this.isComparing);
    this.compare.hidden = this.isComparing;
    for (const slot of this.slots) slot.drawMark();
    const [first, second] = this.shown;
    this.element.dataset.state = this.mayThink ? this.slots[0].state : "";
    const said = first === this.bot ? "" : !isOn ? this.invitation : !position.may ? position.why : this.slots.map((slot) => slot.said).find(Boolean) ?? "";
    fill(this.note, said);
    this.note.hidden = !said;
    fill(this.heading, this.title(first));
    this.heading.hidden = !this.heading.textContent;
    this.moves.show(first?.last, second?.last);
    this.ranges.show(first?.last?.ghosts ?? null);
    this.drawDoubt(first?.last?.belief);
    this.secrets.show(this.ranges.element.hidden ? first?.last?.belief ?? null : null);
    this.how.hidden = !first?.last;
    this.drawCourse();
  }

  /** How far the belief can be trusted. @param {{moved?: number} | undefined} belief */
  drawDoubt(belief) {
    const points = Math.ceil(100 * (belief?.moved ?? 0));
    this.doubt.hidden = points <= STEADY;
    fill(this.doubt, h("span", { class: "light", "aria-hidden": "true" }), E.moved(points));
    this.element.classList.toggle("doubtful", points > STEADY);
  }

  /** Whose thinking or position is shown, where that is not plain. */
  title(shown) {
    if (!shown?.last) return "";
    if (shown === this.bot) return E.botTitle(shown.seat, this.table.players[shown.seat]);
    return shown.last.seat === this.table.you ? "" : E.toMove(shown.last.seat);
  }

  get invitation() {
    if (this.showsBots) return this.bot ? "" : E.noBots;
    if (this.table.sees === "public") return "";
    return this.people > 1 && !this.position.ply ? E.offBetweenPeople : E.off;
  }

  drawCourse() {
    if (this.how.hidden || !this.how.open) return;
    const [first, second] = this.shown;
    this.course.show(first?.frames ?? [], second?.frames ?? []);
    const figures = first?.last?.figures ?? {};
    const { iterations, "information sets": sets, ...others } = figures;
    const counted = iterations === undefined ? "" : sets === undefined ? E.iterations(large(iterations)) : E.work(large(iterations), large(sets));
    const inside = DEBUG ? Object.entries(others).map(([name, value]) => `${name} ${figure(value)}`) : [];
    fill(this.work, [counted, ...inside].filter(Boolean).join(" · "));
    this.below.offer(first === this.slots[0] && this.slots[0].state === "done" ? (first.last?.belief?.secrets ?? []).map((secret) => secret.name) : []);
  }
}

/** A number for people: 7.3 million, 359,914. @param {number} value */
function large(value) {
  return value >= 1e6 ? `${(value / 1e6).toPrecision(3)} million` : Math.round(value).toLocaleString("en");
}

/** One search of the engine: its controls, its mark of confidence, and its reports. */
class Slot {
  /** @param {number} slot @param {Engine} engine */
  constructor(slot, engine) {
    this.slot = slot;
    this.engine = engine;
    this.choice = h("select", { id: newId(), onchange: () => this.changed() });
    this.custom = h("input", { id: newId(), type: "text", class: "mono", value: "oos(targeting=ist,delta=0.9)", list: "bots", maxLength: 500, autocomplete: "off", spellcheck: false, onchange: () => engine.think() });
    this.custom.hidden = true;
    const name = slot ? E.second : E.choose;
    this.controls = h("span", { class: "choice" },
      h("label", { for: this.choice.id, class: "hidden-text" }, name), this.choice,
      h("label", { for: this.custom.id, class: "hidden-text" }, `${name}: ${E.customLabel}`), this.custom);
    this.mark = h("p", { class: "trust small", title: E.levelTitle, "aria-live": "off" });
    this.busy = false;
    this.clear();
  }

  clear() {
    /** @type {any[]} */
    this.frames = [];
    this.last = null;
    this.state = "";
    this.said = "";
  }

  /** @param {string[]} names */
  offer(names) {
    const wanted = recall(`engine ${this.slot}`);
    fill(this.choice, names.map((name) => h("option", { value: name }, E.names[name] ?? name)), h("option", { value: CUSTOM }, E.custom));
    const usual = names[Math.min(this.slot, names.length - 1)];
    this.choice.value = wanted && names.includes(wanted) ? wanted : usual ?? CUSTOM;
    this.custom.hidden = this.choice.value !== CUSTOM;
  }

  changed() {
    remember(`engine ${this.slot}`, this.choice.value);
    this.custom.hidden = this.choice.value !== CUSTOM;
    if (!this.custom.hidden) this.custom.focus();
    this.engine.think();
  }

  think() {
    this.stop();
    const { engine } = this;
    if (!engine.mayThink || !this.choice.value) return;
    const { ply } = engine.position;
    this.busy = true;
    this.said = E.preparing;
    engine.say({
      type: "think", slot: this.slot, player: this.choice.value === CUSTOM ? this.custom.value.trim() : this.choice.value,
      seconds: Number(engine.seconds.value), exact: engine.exact, ...(ply === undefined ? {} : { ply }),
    });
    engine.draw();
  }

  stop() {
    if (this.busy) this.engine.say({ type: "hush", slot: this.slot });
    this.busy = false;
    const had = this.last;
    this.clear();
    if (had && this.slot === 0) this.engine.onThought(null);
  }

  /** @param {string} why */
  refuse(why) {
    if (!this.busy) return;
    this.busy = false;
    this.said = why;
  }

  /** @param {any} frame */
  take(frame) {
    if (!this.busy) return; // of a position before
    this.state = frame.state;
    if (frame.state === "failed") this.refuse(frame.why);
    if (!frame.policy) return;
    if (frame.names) [this.frames, this.last] = [[], null]; // the first report of this search
    else if (!this.last) return; // of the search before, on a slow connection
    this.said = "";
    this.last = { ...this.last, regrets: undefined, ...frame };
    this.frames.push(this.last);
  }

  drawMark() {
    const trust = this.engine.mayThink ? this.last?.trust : null;
    this.mark.className = `trust small ${trust?.level ?? ""}`;
    this.mark.hidden = !trust;
    fill(this.mark, trust ? [h("span", { class: "light", "aria-hidden": "true" }), E.levels[trust.level](trust)] : []);
  }
}
