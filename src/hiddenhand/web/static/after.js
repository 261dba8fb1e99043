// What a table shows after a match: the replay and the review. The page of the table makes it, passes
// frames on, and opens it when the match ends.

import { h } from "./dom.js";
import { Replay, linkedPosition } from "./replay.js";
import { Review } from "./review.js";

export class After {
  /**
   * @param {object} options
   * @param {(message: object) => void} options.say sends a message
   * @param {{players: string[]}} options.table the frame that describes the table
   * @param {(frame: object) => void} options.onPosition takes a position that is to be shown
   */
  constructor({ say, table, onPosition }) {
    this.replay = new Replay(say, onPosition, table.players);
    this.review = new Review(say, (ply) => this.replay.go(ply));
    this.element = h("div", { class: "column" }, this.replay.element, this.review.element);
    this.element.hidden = true;
  }

  get isOpen() {
    return this.replay.isOpen;
  }

  /** The ply of the position that is shown; undefined during the match. */
  get ply() {
    return this.isOpen ? this.replay.ply : undefined;
  }

  /** Open the replay and the review of a match. view: its last view. */
  open(view) {
    this.element.hidden = false;
    this.replay.open(view.plies, linkedPosition());
    this.review.begin();
  }

  takePosition(frame) {
    this.replay.take(frame);
  }

  takeReview(frame) {
    this.review.take(frame);
  }
}
