// What a table shows after a match: the replay and the review. The page of the table makes it, passes
// frames on, and opens it when the match ends.

import { fill, h, signed } from "./dom.js";
import { Replay, linkedPosition } from "./replay.js";
import { Review } from "./review.js";
import { S } from "./strings.js";

export class After {
  /**
   * @param {object} options
   * @param {(message: object) => void} options.say sends a message
   * @param {{players: string[]}} options.table the frame that describes the table
   * @param {(frame: object) => void} options.onPosition takes a position that is to be shown
   */
  constructor({ say, table, onPosition }) {
    this.say = say;
    this.table = table;
    this.result = h("div", { class: "result" });
    this.replay = new Replay(say, onPosition, table.players);
    this.review = new Review(say, (ply) => this.replay.go(ply));
    this.element = h("div", { class: "column after" }, this.result, this.replay.element, this.review.element);
    this.element.hidden = true;
  }

  get isOpen() {
    return this.replay.isOpen;
  }

  /** The ply of the position that is shown; undefined during the match. */
  get ply() {
    return this.isOpen ? this.replay.ply : undefined;
  }

  /**
   * Open the replay and the review of a match.
   * @param {{plies: number, returns: number[]}} view the last view of the match
   * @param {object} during
   * @param {HTMLElement} during.place what the page showed during the match
   * @param {HTMLElement[]} during.aside the log and the engine, which are of use after it, too
   */
  open(view, during) {
    this.element.hidden = false;
    during.place.after(this.element);
    this.showResult(view);
    this.replay.open(view.plies, linkedPosition());
    this.review.begin();
  }

  showResult({ returns }) {
    const { you } = this.table;
    const own = you === null ? null : returns[you];
    const said = own === null ? returns.map((paid, seat) => S.table.paid(seat + 1, signed(paid))).join(" · ")
      : own > 0 ? S.table.won(signed(own)) : own < 0 ? S.table.lost(signed(-own).replace("+", "")) : S.table.drawn;
    fill(this.result, h("strong", {}, said),
      h("button", { class: "main", type: "button", onclick: () => this.say({ type: "again" }) }, you === null ? S.table.next : S.table.again));
  }

  takePosition(frame) {
    this.replay.take(frame);
  }

  takeReview(frame) {
    this.review.take(frame);
  }
}
