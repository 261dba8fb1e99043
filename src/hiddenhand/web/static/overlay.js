// The switch on the board: what a search believes, or what it would play, drawn over the picture.

import { BeliefTable } from "./belief_table.js";
import { fill, h, percent } from "./dom.js";
import { drawGhosts } from "./ghosts.js";
import { recall, remember } from "./memory.js";
import { drawPlan, fillButton } from "./plan.js";
import { S } from "./strings.js";

const MODES = ["off", "belief", "plan"];
const KEYS = { b: "belief", p: "plan" };
const MOST_WORDS = 8;

export class Overlay {
  /** @param {() => [SVGSVGElement, any][]} scenes returns the drawn scenes, each with its picture */
  constructor(scenes) {
    this.scenes = scenes;
    const kept = recall("overlay");
    this.mode = MODES.includes(kept) ? kept : "off";
    this.forget();
    this.buttons = MODES.map((mode) => h("button", { type: "button", title: S.overlay.titles[mode], onclick: () => this.turn(mode) }, S.overlay.modes[mode]));
    this.element = h("div", { class: "toggle", role: "group", "aria-label": S.overlay.label }, this.buttons);
    this.text = h("div", { class: "said" });
    this.table = new BeliefTable();
    this.caption = h("div", { class: "overlay-caption small soft" }, this.text, this.table.element);
    document.addEventListener("keydown", (event) => this.press(event));
    this.show();
  }

  /** Take a report of a search at the position that is shown; null if there is none. */
  take(report) {
    if (!report) this.forget();
    else {
      if (report.ghosts) this.ghosts = report.ghosts;
      if (report.plan) this.plan = report.plan;
      if (report.actions) this.actions = report.actions;
      if (report.policy) this.policy = report.policy;
    }
    this.redraw();
  }

  forget() {
    this.ghosts = null;
    this.plan = null;
    this.actions = null;
    this.policy = null;
  }

  /** @param {string} mode "off", "belief" or "plan" */
  turn(mode) {
    this.mode = mode;
    remember("overlay", mode);
    this.show();
  }

  press(event) {
    const typing = event.target.closest?.("input, select, textarea, dialog");
    const mode = KEYS[event.key];
    if (!mode || typing || event.ctrlKey || event.altKey || event.metaKey || this.element.hidden) return;
    this.turn(this.mode === mode ? "off" : mode);
  }

  show() {
    this.buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(MODES[place] === this.mode)));
    this.redraw();
  }

  redraw() {
    for (const [svg, picture] of this.scenes()) this.draw(svg, picture);
    const moves = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-move]"));
    for (const button of moves) fillButton(button, this.shareOf(Number(button.dataset.move)));
    this.table.element.hidden = true;
    fill(this.text, this.said());
    this.caption.hidden = !this.text.childNodes.length;
  }

  /** Draw the overlay on a scene; or take away the one that is there. */
  draw(svg, picture) {
    svg.querySelector(":scope > .overlay")?.remove();
    if (this.mode === "belief" && this.ghosts?.seat === picture.of) drawGhosts(svg, picture.scene, this.ghosts);
    if (this.mode === "plan" && this.plan?.seat === picture.of) drawPlan(svg, picture.scene, this.plan);
  }

  /** The probability to be shown on the button of a move, or null. */
  shareOf(action) {
    const at = this.mode === "plan" && this.actions ? this.actions.indexOf(action) : -1;
    return at < 0 ? null : this.policy[at];
  }

  said() {
    if (this.mode === "off") return [];
    if (this.mode === "plan") return this.policy ? [] : [S.overlay.noPlan];
    if (!this.ghosts) return [this.policy ? S.overlay.silent : S.overlay.noBelief];
    if (this.ghosts.why) return [S.overlay.why(this.ghosts.why)];
    const [, shown] = this.scenes().find(([, picture]) => picture.of === this.ghosts.seat) ?? [];
    if (!shown) return [S.overlay.elsewhere(this.ghosts.seat + 1)];
    this.table.show(shown.scene, this.ghosts);
    return [this.words(), h("p", {}, S.overlay.drawn(this.ghosts))];
  }

  /** Words of the belief that have no place on the board. */
  words() {
    const likely = this.ghosts.words.slice(0, MOST_WORDS);
    const shown = likely.sort((one, other) => one.text.localeCompare(other.text, "en", { numeric: true })); // a steady order
    if (!shown.length) return null;
    const rows = shown.map(({ text, p }) => {
      const share = h("span", { class: "word-bar", "aria-hidden": "true" });
      share.style.setProperty("--share", `${100 * p}%`);
      return h("li", {}, h("span", {}, text), share, h("span", { class: "value" }, percent(p)));
    });
    const more = this.ghosts.words.length - shown.length;
    return h("ul", { class: "overlay-words", "aria-label": S.overlay.words }, rows, more ? h("li", {}, S.overlay.more(more)) : null);
  }
}
