// The clock of your own thinking time. It runs in the page only, because the times of others could
// give away what they hold.

import { h } from "./dom.js";
import { T } from "./texts.js";

export class Clock {
  constructor() {
    this.before = 0; // milliseconds of earlier moves
    this.began = null;
    this.element = h("span", { class: "clock", role: "timer", "aria-live": "off", title: T.clock });
    setInterval(() => this.draw(), 250);
  }

  run(mine) {
    if (mine && this.began === null) this.began = performance.now();
    if (!mine && this.began !== null) {
      this.before += performance.now() - this.began;
      this.began = null;
    }
    this.draw();
  }

  draw() {
    const now = this.began === null ? 0 : performance.now() - this.began;
    const all = written(this.before + now);
    this.element.textContent = this.began === null ? all : `${written(now)} · ${all}`;
  }
}

function written(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
