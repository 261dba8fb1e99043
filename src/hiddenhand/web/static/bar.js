// The bar of a table: the game, the players with their score, and what a person seldom needs, in a
// menu.

import { fill, h } from "./dom.js";
import { isSoundOn, setSound } from "./sound.js";
import { T } from "./texts.js";
import { S } from "./strings.js";
import { showDialog, turnTheme } from "./top.js";

/** @typedef {{here: number[], missing: number[], watching: number, engines: number[], rematch: number[]}} Presence */

export class Bar {
  /**
   * @param {object} options
   * @param {any} options.table the frame that describes the table
   * @param {{name: () => string, act: () => void}[]} options.more further entries of the menu
   * @param {() => void} options.onInvite opens the invitations
   */
  constructor({ table, more, onInvite }) {
    this.table = table;
    this.people = h("ul", { class: "people", "aria-label": T.people });
    const rules = () => showDialog(T.bar.rules, h("div", { class: "rules" }, table.rules));
    this.menu = new Menu([
      { name: () => T.bar.rules, act: rules, narrow: true },
      { name: () => T.bar.invite, act: onInvite, narrow: true },
      { name: () => T.bar.details, act: () => this.showDetails() },
      ...more,
      { name: () => T.bar.sound(isSoundOn()), act: () => setSound(!isSoundOn()) },
      { name: () => `${T.bar.theme}: ${S.theme[turnTheme.present()]}`, act: turnTheme },
      { name: () => T.bar.games, href: "/" },
      { name: () => T.bar.lab, href: "/lab" },
    ]);
    const bar = document.getElementById("top");
    bar.classList.add("bar");
    fill(bar,
      h("a", { class: "skip", href: "#main" }, S.skip),
      h("a", { class: "brand", href: "/", "aria-label": `${S.name}: ${S.home}` },
        h("img", { src: new URL("icon.svg", import.meta.url).pathname, alt: "", width: 28, height: 28 })),
      h("h1", {}, table.title),
      this.people,
      h("div", { class: "tools" },
        h("button", { class: "quiet wide", type: "button", onclick: rules }, T.bar.rules),
        h("button", { class: "quiet wide", type: "button", onclick: onInvite }, T.bar.invite),
        this.menu.element));
  }

  /**
   * Show who is there and how the series stands.
   * @param {Presence} presence
   * @param {number[]} score matches won, for each seat
   */
  show(presence, score) {
    const { table } = this;
    const started = score.some((won) => won > 0);
    const plates = table.players.map((player, seat) => {
      const isPerson = player === "person";
      const here = presence.here.includes(seat);
      const name = seat === table.you ? T.you : isPerson ? T.person(seat) : short(player);
      const advised = presence.engines.includes(seat);
      return h("li", { class: seat === table.you ? "me" : "", title: `${T.player(seat)}: ${isPerson ? (seat === table.you ? T.you : T.person(seat)) : player}` },
        isPerson && seat !== table.you ? h("span", { class: here ? "dot here" : "dot", role: "img", "aria-label": here ? T.bar.here : T.bar.away }) : null,
        h("span", { class: "name" }, name),
        advised ? h("span", { class: "badge", role: "img", "aria-label": T.bar.engine, title: T.bar.engine }, "⚙") : null,
        started ? h("strong", { title: T.bar.won(score[seat]) }, String(score[seat])) : null);
    });
    const pair = plates.length === 2;
    fill(this.people, pair ? [plates[0], started ? h("li", { class: "to", "aria-hidden": "true" }, "–") : null, plates[1]] : plates,
      presence.watching && table.sees === "seat" ? h("li", { class: "watchers" }, T.bar.watching(presence.watching)) : null);
  }

  showDetails() {
    const { table } = this;
    const entry = (name, value) => [h("dt", {}, name), h("dd", { class: "mono" }, value)];
    showDialog(T.bar.details, h("dl", { class: "details" },
      entry(T.bar.spec, table.game),
      table.players.map((player, seat) => entry(T.bar.seat(seat), player)),
      entry(T.bar.seconds, T.bar.perMove(table.seconds))));
  }
}

/** The name of a bot: its strength, or its search without parameters. @param {string} player */
function short(player) {
  return T.bar.bots[player] ?? player.split("(")[0];
}

/** A button that opens a list of buttons and links. */
class Menu {
  /** @param {{name: () => string, act?: () => void, href?: string, narrow?: boolean}[]} entries */
  constructor(entries) {
    this.entries = entries;
    this.list = h("div", { class: "menu-list", id: "menu" });
    this.list.hidden = true;
    this.button = h("button", {
      class: "quiet round", type: "button", title: T.bar.more, "aria-label": T.bar.more, "aria-expanded": "false", "aria-controls": "menu",
      onclick: () => this.turn(this.list.hidden),
    }, "⋯");
    this.element = h("div", { class: "menu" }, this.button, this.list);
    document.addEventListener("click", (event) => {
      if (!this.element.contains(/** @type {Node} */ (event.target))) this.turn(false);
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.list.hidden) return;
      this.turn(false);
      this.button.focus();
    });
  }

  /** @param {boolean} open */
  turn(open) {
    this.list.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    fill(this.list, this.entries.map((entry) => {
      const kind = `quiet ${entry.narrow ? "narrow" : ""}`;
      if (entry.href) return h("a", { class: `button ${kind}`, href: entry.href }, entry.name());
      return h("button", { class: kind, type: "button", onclick: () => { this.turn(false); entry.act(); } }, entry.name());
    }));
  }
}
