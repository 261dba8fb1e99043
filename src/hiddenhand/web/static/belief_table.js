// What is drawn of a belief as a table, for those who do not see the picture.

import { fill, h, percent } from "./dom.js";
import { S } from "./strings.js";

const MOST = 60;

export class BeliefTable {
  constructor() {
    this.body = h("tbody");
    this.element = h("details", { ontoggle: () => this.draw() }, h("summary", {}, S.overlay.table),
      h("div", { class: "rows", tabIndex: 0, role: "group", "aria-label": S.overlay.tableOf },
        h("table", {}, h("caption", { class: "hidden-text" }, S.overlay.tableOf),
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, S.overlay.what), h("th", { scope: "col" }, S.overlay.probability))), this.body)));
  }

  /** @param {{items: any[]}} scene @param {any} ghosts */
  show(scene, ghosts) {
    this.rows = rowsOf(scene, ghosts);
    this.element.hidden = !this.rows.length;
    this.draw();
  }

  draw() {
    if (!this.element.open || !this.rows) return;
    fill(this.body, this.rows.slice(0, MOST).map(({ name, p }) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, percent(p)))));
  }
}

/** The likeliest first: cells, items with a label, and cards of hands. */
export function rowsOf(scene, { cells, items, hands }) {
  const rows = cells.map(([at, p]) => ({ name: (scene.items[at].label ?? "").split(":")[0], p }));
  if (!cells.length) rows.push(...items.filter(({ item }) => item.label).map(({ item, p }) => ({ name: item.label, p })));
  for (const { name, held } of hands) {
    rows.push(...held.map(({ rank, suit, face, p }) => ({ name: `${name}: ${face ?? `${rank}${suit}`}`, p })));
  }
  return rows.filter(({ name }) => name).sort((one, other) => other.p - one.p);
}
