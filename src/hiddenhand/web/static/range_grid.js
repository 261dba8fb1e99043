// A grid of 13 by 13 for two cards of a deck: how much likelier each class of hands is than by the
// deal. Suited hands lie above the diagonal. The grid is a table, which the arrow keys go through.

import { fill, h, percent } from "./dom.js";
import { tone } from "./fans.js";
import { RANKS, classesOf, tilt } from "./pairs.js";
import { S } from "./strings.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class RangeGrid {
  constructor() {
    this.byCombos = false;
    this.at = [0, 0];
    this.title = h("h3");
    this.body = h("tbody");
    this.caption = h("caption", { class: "hidden-text" });
    this.table = h("table", { class: "range-grid", onkeydown: (event) => this.move(event), onfocusin: (event) => this.look(event), onpointerover: (event) => this.look(event) }, this.caption, this.body);
    this.said = h("p", { class: "range-said small" }, S.range.hint);
    this.switch = [false, true].map((byCombos) => h("button", { type: "button", "aria-pressed": String(!byCombos), onclick: () => this.turn(byCombos) }, byCombos ? S.range.combos : S.range.hands));
    this.element = h("div", { class: "range-panel" },
      h("div", { class: "row between" }, this.title, h("div", { class: "toggle", role: "group", "aria-label": S.range.shown }, this.switch)),
      this.table, this.legend(), this.said);
    this.cells = [];
    this.make();
  }

  /** Show a hand with pairs. @param {{name: string, pairs: number[]}} hand */
  show(hand) {
    this.classes = classesOf(hand.pairs);
    fill(this.title, S.range.title(hand.name));
    fill(this.caption, S.range.caption(hand.name));
    this.draw();
  }

  make() {
    this.cells = [...RANKS].map((_, row) => [...RANKS].map((__, column) => h("td", { tabIndex: row || column ? -1 : 0, "data-at": `${row} ${column}` })));
    fill(this.body, this.cells.map((row) => h("tr", {}, row)));
  }

  draw() {
    this.classes.forEach((row, down) => row.forEach((hand, right) => this.drawCell(this.cells[down][right], hand)));
    this.say(...this.at);
  }

  drawCell(cell, hand) {
    cell.className = tone(hand.times);
    cell.style.setProperty("--t", `${Math.abs(tilt(hand.times ?? 1)) * 100}%`);
    cell.title = spoken(hand);
    if (this.byCombos && hand.times !== null) {
      cell.classList.add("split");
      const parts = hand.combos.map((combo) => {
        const part = h("i", { class: tone(combo.times), title: spoken(combo) });
        part.style.setProperty("--t", `${Math.abs(tilt(combo.times)) * 100}%`);
        return part;
      });
      fill(cell, h("span", { class: `combos in-${columnsOf(hand.name)}`, "aria-hidden": "true" }, parts), h("span", { class: "name" }, hand.name), h("span", { class: "hidden-text" }, ` ${hand.combos.map(spoken).join("; ")}`));
    } else {
      fill(cell, h("span", { class: "name" }, hand.name), h("span", { class: "times" }, hand.times === null ? "–" : timesOf(hand.times)),
        h("span", { class: "hidden-text" }, hand.times === null ? S.range.cannot : S.range.times(hand.times.toFixed(1))));
    }
  }

  turn(byCombos) {
    this.byCombos = byCombos;
    this.switch.forEach((button, place) => button.setAttribute("aria-pressed", String(Boolean(place) === byCombos)));
    if (this.classes) this.draw();
  }

  look(event) {
    const cell = event.target.closest?.("td");
    if (cell) this.say(...cell.dataset.at.split(" ").map(Number));
  }

  say(row, column) {
    this.at = [row, column];
    const hand = this.classes?.[row]?.[column];
    if (hand) fill(this.said, spoken(hand), hand.times === null ? "" : ` · ${S.range.count(hand.combos.length)}`);
  }

  move(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation(); // the arrow keys step through a replay, too
    const [row, column] = this.at.map((place, axis) => Math.max(0, Math.min(12, place + step[axis])));
    this.cells[this.at[0]][this.at[1]].tabIndex = -1;
    this.cells[row][column].tabIndex = 0;
    this.cells[row][column].focus();
  }

  legend() {
    const steps = [0.25, 0.5, 1, 2, 4].map((times) => {
      const sign = h("i", { class: tone(times) });
      sign.style.setProperty("--t", `${Math.abs(tilt(times)) * 100}%`);
      return h("span", {}, sign, S.range.step(times));
    });
    return h("p", { class: "range-legend small soft" }, steps);
  }
}

/** How many combos of a class lie beside each other: 6 of a pair, 4 suited, 12 offsuit. */
function columnsOf(name) {
  return { s: 2, o: 4 }[name[2]] ?? 3;
}

function timesOf(times) {
  return times >= 9.95 ? times.toFixed(0) : times.toFixed(1);
}

/** A hand in words. */
function spoken({ name, p, times }) {
  return times === null ? `${name}: ${S.range.cannot}` : `${name}: ${percent(p)}, ${S.range.times(times.toFixed(2))}`;
}

/** The grids of all hands of two cards in a belief. */
export class Ranges {
  constructor() {
    this.grids = [];
    this.element = h("div", { class: "ranges" });
    this.element.hidden = true;
  }

  /** @param {{hands?: any[]} | null} ghosts what the server sent of a belief; null for none */
  show(ghosts) {
    const hands = (ghosts?.hands ?? []).filter((hand) => hand.pairs);
    while (this.grids.length < hands.length) {
      this.grids.push(new RangeGrid());
      this.element.append(this.grids[this.grids.length - 1].element);
    }
    this.grids.forEach((grid, place) => {
      grid.element.hidden = place >= hands.length;
      if (place < hands.length) grid.show(hands[place]);
    });
    this.element.hidden = !hands.length;
  }
}
