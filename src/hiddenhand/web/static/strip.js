// The graph above a match that is over, which is also its slider. A line shows the expected payoff of a
// seat, and a bar each loss: the step down of the line at a move of that seat.

import { fill, h, label, shape } from "./dom.js";
import { isError, nameOf, SIGNS, withSign } from "./marks.js";
import { REPLAY } from "./review_texts.js";

const HEIGHT = 96;
const SIDE = 20;
const TOP = 24;
const BOTTOM = 26;
const ROOM_FOR_WORDS = 84; // pixels between two plies
const ROOM_FOR_SIGNS = 13;
const LONGEST = 16; // characters of a label

/**
 * @typedef {object} Shown
 * @property {number} plies the number of moves of the match
 * @property {[number, number][]} course plies, and the expected payoff there
 * @property {object[]} decisions the judged decisions of all seats
 * @property {number} seat the seat whose payoff the line shows
 * @property {string} title what the line shows
 */

export class Strip {
  /** @param {(ply: number) => void} go shows the position after so many moves */
  constructor(go) {
    this.go = go;
    this.ply = 0;
    /** @type {Shown} */
    this.shown = { plies: 0, course: [], decisions: [], seat: 0, title: "" };
    this.plot = shape("svg", { class: "graph", height: HEIGHT, "aria-hidden": "true" });
    this.element = h("div", { class: "strip", role: "slider", tabindex: 0, "aria-label": REPLAY.slider, "aria-valuemin": 0 }, this.plot);
    this.element.addEventListener("pointerdown", (event) => this.grab(event));
    this.element.addEventListener("pointermove", (event) => this.held === event.pointerId && this.go(this.plyAt(event)));
    for (const name of ["pointerup", "pointercancel"]) this.element.addEventListener(name, () => { this.held = null; });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** @param {Partial<Shown>} shown */
  show(shown) {
    this.shown = { ...this.shown, ...shown };
    this.element.setAttribute("aria-valuemax", this.shown.plies);
    this.turn(this.ply);
  }

  /** Mark a position. */
  turn(ply) {
    this.ply = ply;
    this.element.setAttribute("aria-valuenow", ply);
    const decision = this.shown.decisions.find((one) => one.ply === ply);
    const said = decision ? ` ${nameOf(decision.mark)}: ${decision.told}.` : "";
    this.element.setAttribute("aria-valuetext", `${REPLAY.ply(ply, this.shown.plies)}.${said}`);
    this.draw();
  }

  grab(event) {
    if (event.button !== 0) return;
    this.held = event.pointerId;
    this.element.setPointerCapture(event.pointerId);
    this.go(this.plyAt(event));
  }

  plyAt(event) {
    const box = this.element.getBoundingClientRect();
    const part = (event.clientX - box.left - SIDE) / (box.width - 2 * SIDE);
    return Math.max(0, Math.min(this.shown.plies, Math.round(part * this.shown.plies)));
  }

  draw() {
    const width = this.element.clientWidth;
    if (!width) return;
    this.plot.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.plot.setAttribute("width", width);
    const { plies, course } = this.shown;
    const step = (width - 2 * SIDE) / Math.max(plies, 1);
    const payoffs = [0, ...course.map(([, payoff]) => payoff)];
    const [low, high] = [Math.min(...payoffs), Math.max(...payoffs)];
    const scale = {
      step,
      x: (ply) => SIDE + step * ply,
      y: (payoff) => TOP + (HEIGHT - TOP - BOTTOM) * (high === low ? 0.5 : (high - payoff) / (high - low)),
    };
    this.plot.replaceChildren(...this.axis(width, scale), ...this.bars(scale), ...this.line(scale), ...this.words(scale));
  }

  axis(width, { x, y }) {
    const title = label(SIDE - 8, 15, "start", this.shown.title);
    const here = shape("line", { class: "here", x1: x(this.ply), x2: x(this.ply), y1: 20, y2: HEIGHT - 4 });
    const grip = shape("circle", { class: "grip", cx: x(this.ply), cy: 20, r: 5 });
    return [shape("line", { class: "zero", x1: SIDE, x2: width - SIDE, y1: y(0), y2: y(0) }), title, here, grip];
  }

  line({ x, y }) {
    const { course } = this.shown;
    if (course.length < 2) return [];
    return [shape("polyline", { class: "course", points: course.map(([ply, payoff]) => `${x(ply).toFixed(1)},${y(payoff).toFixed(1)}`).join(" ") })];
  }

  bars({ step, x, y }) {
    return this.shown.decisions.filter((one) => one.seat === this.shown.seat && one.loss > 0 && isError(one.mark)).map((one) => {
      const value = Math.max(...one.payoffs);
      const wide = Math.max(4, Math.min(34, step * 0.6));
      const bar = shape("rect", {
        class: `loss ${one.mark}`, x: x(one.ply + 0.5) - wide / 2, width: wide, y: y(value), height: Math.max(3, y(value - one.loss) - y(value)), rx: 3,
      });
      return bar;
    });
  }

  words({ step, x }) {
    if (step < ROOM_FOR_SIGNS) return this.signs(x, this.shown.decisions.filter((one) => isError(one.mark) && one.seat === this.shown.seat));
    if (step < ROOM_FOR_WORDS) return this.signs(x, this.shown.decisions);
    return this.shown.decisions.map((one) => {
      const loss = isError(one.mark) ? ` ${withSign(-one.loss)}` : "";
      const words = (one.seat === this.shown.seat ? one.said : one.told) ?? one.names[one.chosen];
      const said = words.length > LONGEST ? one.names[one.chosen].slice(0, LONGEST) : words;
      return this.word(x, one, `${said} ${SIGNS[one.mark]}${loss}`);
    });
  }

  signs(x, decisions) {
    return decisions.map((one) => this.word(x, one, SIGNS[one.mark]));
  }

  word(x, one, text) {
    const made = label(x(one.ply + 0.5), HEIGHT - 8, "middle", text);
    made.setAttribute("class", `${one.mark}${one.ply === this.ply ? " now" : ""}${one.seat === this.shown.seat ? "" : " other"}`);
    return made;
  }
}

/** A step button of the slider. */
export function stepButton(sign, name, onclick) {
  return fill(h("button", { class: "step", type: "button", "aria-label": name, title: name, onclick }), sign);
}
