// The links of a table: for the seats of others, and for spectators.

import { copyText, fill, h, newId } from "./dom.js";
import { T } from "./texts.js";
import { showDialog } from "./top.js";

/** @typedef {{seat: number, token: string}} Seat */

export class Invitations {
  /**
   * @param {any} table the frame that describes the table
   * @param {() => void} ask asks the server for the links of seats to which nobody came yet
   */
  constructor(table, ask) {
    this.table = table;
    this.ask = ask;
    /** @type {Seat[]} */
    this.seats = [];
    this.address = `${location.origin}/table/${table.place}`;
    this.banner = h("div", { class: "waiting" });
    this.banner.hidden = true;
    this.missing = "";
  }

  /** Show the links of missing people. @param {number[]} missing their seats */
  update(missing) {
    if (this.table.you === null || String(missing) === this.missing) return;
    this.missing = String(missing);
    if (missing.length) this.ask();
    else this.take([]);
  }

  /** @param {Seat[]} seats */
  take(seats) {
    this.seats = seats;
    this.banner.hidden = !seats.length;
    fill(this.banner,
      h("p", {}, h("strong", { class: "pulse" }, T.invite.waiting), " ", T.invite.send),
      seats.map(({ seat, token }) => this.entry(T.invite.link(seat), `${this.address}#${token}`)));
  }

  show() {
    const others = this.table.players.filter((player, seat) => player === "person" && seat !== this.table.you).length;
    showDialog(T.invite.title,
      this.seats.length ? h("p", { class: "soft" }, T.invite.lead) : others ? h("p", { class: "soft" }, T.invite.taken) : null,
      h("div", { class: "links" },
        this.seats.map(({ seat, token }) => this.entry(T.player(seat), `${this.address}#${token}`)),
        this.entry(T.invite.watch, this.address)));
  }

  /** A link with a button that copies it. */
  entry(name, value) {
    const field = h("input", { id: newId(), type: "text", readOnly: true, value, onfocus: () => field.select() });
    const button = h("button", { type: "button", onclick: async () => {
      const copied = await copyText(value, field);
      button.textContent = copied ? T.invite.copied : T.invite.byHand;
    } }, T.invite.copy);
    return h("div", { class: "row" }, h("label", { for: field.id }, name), field, button);
  }
}
