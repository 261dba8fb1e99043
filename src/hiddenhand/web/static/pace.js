// The pace of a match between bots, for people who watch: pause, one move, speed.

import { h, newId } from "./dom.js";
import { T } from "./texts.js";

export class Pace {
  /** @param {(message: object) => void} say sends a message */
  constructor(say) {
    this.say = say;
    this.paused = false;
    this.pause = h("button", { type: "button", onclick: () => this.tell(!this.paused) });
    this.step = h("button", { type: "button", onclick: () => this.tell(true, true) }, T.pace.step);
    this.speed = h("select", { id: newId(), onchange: () => this.tell(this.paused) }, T.pace.speeds.map(([value, name]) => h("option", { value }, name)));
    this.speed.value = "0.7";
    this.element = h("div", { class: "pace", role: "group", "aria-label": T.pace.label }, this.pause, this.step,
      h("label", { for: this.speed.id }, T.pace.speed), this.speed);
    this.draw();
  }

  /** @param {boolean} paused @param {boolean} step whether to make one move */
  tell(paused, step = false) {
    this.say({ type: "pace", seconds: Number(this.speed.value), paused, step });
  }

  /** @param {{paused: boolean, seconds: number}} frame the pace, which any page may have set */
  take(frame) {
    this.paused = frame.paused;
    const known = T.pace.speeds.find(([value]) => Number(value) === frame.seconds);
    if (known) this.speed.value = known[0];
    this.draw();
  }

  draw() {
    this.pause.textContent = this.paused ? T.pace.go : T.pace.pause;
    this.pause.classList.toggle("main", this.paused);
  }
}
