// The log of the match, line by line. Screen readers read new lines aloud.

import { fill, h } from "./dom.js";
import { T } from "./texts.js";

export class Log {
  constructor() {
    this.lines = [];
    this.list = h("ol");
    this.region = h("div", { class: "log", role: "log", "aria-live": "polite", "aria-label": T.log.title, tabindex: 0 }, this.list);
    this.empty = h("p", { class: "soft small" }, T.log.none);
    this.element = h("section", { class: "card log-card" }, h("h2", {}, T.log.title), this.empty, this.region);
  }

  show(lines) {
    const kept = this.lines.every((line, place) => line === lines[place]) ? this.lines.length : 0;
    const added = lines.slice(kept).map((line) => h("li", { class: /^you\b/.test(line) ? "you" : "" }, line));
    if (kept) this.list.append(...added);
    else fill(this.list, added);
    this.lines = [...lines];
    this.empty.hidden = lines.length > 0;
    this.region.hidden = !lines.length;
    if (added.length) this.region.scrollTop = this.region.scrollHeight;
  }
}
