// The panel that shows searches while they think: one or two that a person starts, and at a table
// without people the bots themselves.

import { Below } from "./below.js";
import { bars, curves } from "./charts.js";
import { fill, figure, h, newId } from "./dom.js";
import { Ranges } from "./range_grid.js";
import { S } from "./strings.js";

const SHOWN = 12; // moves in a chart of bars

export class Thinking {
  /** say: sends a message. where: returns the ply of the position that is shown, or undefined for
      the present one. onForget: called when the first search has nothing more to say of what is
      shown. */
  constructor(say, where, onForget) {
    this.onForget = onForget;
    this.say = say;
    this.where = where;
    this.slots = [new Thinker(0, this), new Thinker(1, this)];
    this.slots[1].element.hidden = true;
    this.compare = h("button", { class: "quiet small", type: "button", onclick: () => this.turn() }, S.think.compare);
    this.note = h("p", { class: "soft small" }, S.think.notYet);
    this.bots = h("div", { class: "thinkers" });
    this.seats = new Map();
    this.controls = h("div", { class: "thinkers" }, this.slots.map((slot) => slot.element));
    this.element = h("section", { class: "card panel" },
      h("div", { class: "row between" }, h("h2", {}, S.think.title), this.compare),
      h("p", { class: "soft small" }, S.think.lead), this.bots, this.note, this.controls);
    this.allow(false);
  }

  /** Whether a search may think about what is shown. */
  allow(may) {
    this.note.hidden = may || this.seats.size > 0;
    for (const slot of this.slots) slot.allow(may);
  }

  /** Clear the bots of a match that is over. */
  end() {
    fill(this.bots);
    fill(this.note, S.think.notHere);
  }

  turn() {
    const second = this.slots[1];
    second.element.hidden = !second.element.hidden;
    if (second.element.hidden) second.stop();
    this.element.closest(".place").classList.toggle("comparing", !second.element.hidden); // makes room
    this.compare.textContent = second.element.hidden ? S.think.compare : S.think.single;
  }

  /** Clear the results for the position before. */
  moveOn() {
    for (const slot of this.slots) slot.forget();
    this.onForget();
  }

  take(frame) {
    this.slots[frame.slot].take(frame);
  }

  /** Show a frame about the thinking of a bot of this match. */
  takeBot(frame, players) {
    let charts = this.seats.get(frame.seat);
    if (!charts) {
      charts = new Charts();
      this.seats.set(frame.seat, charts);
      this.bots.append(h("div", { class: "thinker" }, h("h3", {}, S.think.bot(frame.seat + 1, players[frame.seat])), charts.element));
    }
    if (charts.ply !== frame.ply) charts.clear();
    charts.ply = frame.ply;
    charts.show(frame);
  }
}

class Thinker {
  constructor(slot, panel) {
    this.slot = slot;
    this.panel = panel;
    this.charts = new Charts();
    this.busy = false;
    this.may = false;
    const ids = [newId(), newId(), newId()];
    this.player = h("input", { id: ids[0], type: "text", class: "mono", value: slot ? "ismcts" : "oos(targeting=ist)", list: "bots", maxLength: 500, autocomplete: "off", spellcheck: false });
    this.seconds = h("input", { id: ids[1], type: "number", min: 0.1, max: 60, step: 0.1, value: 3 });
    this.exact = h("input", { id: ids[2], type: "checkbox" });
    this.button = h("button", { class: "main", type: "submit" }, S.think.go);
    this.status = h("p", { class: "soft small", "aria-live": "polite" });
    const go = (event) => {
      event.preventDefault();
      if (this.busy) this.stop();
      else this.start();
    };
    this.form = h("form", { class: "stack", onsubmit: go, "aria-label": S.think.slot(slot) },
      h("div", { class: "row" }, h("label", { for: ids[0] }, S.think.player), this.player),
      h("div", { class: "row" }, h("label", { for: ids[1] }, S.think.seconds), this.seconds, this.button),
      h("div", { class: "row" }, this.exact, h("label", { for: ids[2] }, S.think.exact)));
    this.below = new Below((secret, way) => panel.say({ type: "below", slot, secret, way }));
    this.element = h("div", { class: "thinker" }, this.form, this.status, this.charts.element, this.below.element);
  }

  allow(may) {
    this.may = may;
    this.button.disabled = !may && !this.busy;
  }

  start() {
    this.charts.clear();
    this.below.offer([]);
    this.setBusy(true);
    fill(this.status, S.think.preparing);
    const ply = this.panel.where();
    this.panel.say({
      type: "think", slot: this.slot, player: this.player.value.trim(), seconds: Number(this.seconds.value),
      exact: this.exact.checked, ...(ply === undefined ? {} : { ply }),
    });
  }

  stop() {
    if (this.busy) this.panel.say({ type: "hush", slot: this.slot });
    this.setBusy(false);
    fill(this.status, "");
  }

  forget() {
    this.stop();
    this.charts.clear();
    this.below.offer([]);
  }

  setBusy(busy) {
    this.busy = busy;
    this.button.textContent = busy ? S.think.stop : S.think.go;
    this.button.disabled = !this.may && !busy;
  }

  refuse(why) {
    this.setBusy(false);
    fill(this.status, why);
  }

  take(frame) {
    if (frame.names) this.known = { names: frame.names, actions: frame.actions };
    else if (frame.policy) Object.assign(frame, this.known); // the server sends names once
    if (frame.state === "failed") this.refuse(frame.why);
    else if (frame.state === "preparing") fill(this.status, S.think.preparing);
    else {
      fill(this.status, "");
      this.charts.show(frame);
      if (frame.state !== "done") return;
      this.setBusy(false);
      this.below.offer((frame.belief?.secrets ?? []).map((secret) => secret.name));
    }
  }
}

/** All charts of one search. */
class Charts {
  constructor() {
    this.strategy = bars(S.think.strategy, S.think.action);
    this.belief = bars(S.think.belief, S.think.secret, "belief");
    this.ranges = new Ranges();
    this.course = curves(S.think.curve, { most: 1 });
    this.sets = curves(S.think.sets);
    this.iterations = curves(S.think.iterations);
    this.regrets = curves(S.think.regrets);
    this.values = curves(S.think.values);
    this.gap = curves(S.think.nash, { log: true, lead: S.think.nashLead });
    this.figures = h("p", { class: "soft small" });
    this.element = h("div", { class: "stack" }, this.strategy.element, this.figures, this.ranges.element, this.belief.element,
      this.course.element, this.regrets.element, this.values.element, this.gap.element, h("div", { class: "pair" }, this.sets.element, this.iterations.element));
    this.clear();
  }

  clear() {
    this.points = [];
    for (const chart of [this.strategy, this.belief]) chart.show([]);
    this.ranges.show(null);
    for (const chart of [this.course, this.regrets, this.values, this.sets, this.iterations, this.gap]) chart.show([], []);
    fill(this.figures, "");
  }

  show(frame) {
    const moves = frame.names.map((name, place) => ({ name, p: frame.policy[place] }));
    const top = [...moves].sort((one, other) => other.p - one.p).slice(0, SHOWN);
    this.strategy.show(moves.length > SHOWN ? top : moves, moves.length > SHOWN ? S.think.rest(moves.length - SHOWN) : "");
    if (frame.belief) this.showBelief(frame.belief);
    if (frame.ghosts) this.ranges.show(frame.ghosts);
    this.points.push(frame);
    const over = (value) => this.points.map((point) => [point.done, [value(point)]]);
    const best = top.slice(0, 6).map((move) => move.name);
    this.course.show(best, this.points.map((point) => [point.done, best.map((name) => point.policy[point.names.indexOf(name)])]));
    for (const [chart, name] of [[this.regrets, "regrets"], [this.values, "values"]]) {
      const told = this.points.filter((point) => point[name]);
      chart.show(best, told.map((point) => [point.done, best.map((move) => point[name][point.names.indexOf(move)] ?? NaN)]));
    }
    this.sets.show([S.think.sets], over((point) => point.figures["information sets"]).filter(([, [value]]) => value !== undefined));
    this.iterations.show([S.think.iterations], over((point) => point.figures.iterations).filter(([, [value]]) => value !== undefined));
    this.gap.show([S.think.nash], over((point) => point.nash_conv).filter(([, [value]]) => Number.isFinite(value)));
    const said = Object.entries(frame.figures).map(([name, value]) => `${name} ${figure(value)}`);
    if (Number.isFinite(frame.nash_conv)) said.unshift(S.think.nashOf(figure(frame.nash_conv)));
    fill(this.figures, said.join(" · "));
  }

  showBelief(belief) {
    const entries = [...belief.secrets];
    if (belief.rest.count) entries.push({ name: S.think.rest(belief.rest.count), p: belief.rest.p });
    this.belief.show(entries.filter((entry) => entry.name), S.think.histories(belief.histories, belief.is_sample));
  }
}
