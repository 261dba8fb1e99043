// The positions of a match that is over: which one is shown, and who sees it.

const ALL = -6;
const PLAYING = 900; // milliseconds for each move

/** @typedef {{ply: number, mover: number, pictures: object[], log: string[], seat: number}} Position */

export class Replay {
  /**
   * @param {(message: object) => void} say sends a message
   * @param {(position: Position) => void} onPosition takes the position that the server sends
   * @param {(ply: number) => void} onTurn is called at once when another position is asked for
   */
  constructor(say, onPosition, onTurn) {
    this.say = say;
    this.onPosition = onPosition;
    this.onTurn = onTurn;
    this.ply = 0;
    this.plies = 0;
    this.seat = ALL;
    this.isOpen = false;
    this.hasMoved = false; // whether the reader has chosen a position
    this.timer = 0;
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** Begin at a position: that of a link, or the last. */
  open(plies, { ply = plies, seat }) {
    this.plies = plies;
    this.isOpen = true;
    this.seat = seat;
    this.go(ply);
  }

  go(ply) {
    this.ply = Math.max(0, Math.min(this.plies, ply));
    this.onTurn(this.ply);
    this.say({ type: "look", ply: this.ply, seat: this.seat });
  }

  /** See the positions as a seat did, or everything. */
  see(seat) {
    this.seat = seat;
    this.go(this.ply);
  }

  take(frame) {
    if (frame.ply === this.ply && frame.seat === this.seat) this.onPosition(frame); // else it answers an earlier message
  }

  get isPlaying() {
    return this.timer !== 0;
  }

  /** Play the match like a film, from the beginning if its end is shown. */
  play() {
    if (this.isPlaying) return this.pause();
    this.hasMoved = true;
    if (this.ply === this.plies) this.go(0);
    this.timer = setInterval(() => {
      if (this.ply + 1 >= this.plies) this.pause();
      this.go(this.ply + 1);
    }, PLAYING);
    this.onTurn(this.ply);
    return undefined;
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.onTurn(this.ply);
  }

  press(event) {
    if (!this.isOpen || event.target.closest?.("input, select, textarea, dialog")) return;
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.plies }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (this.isPlaying) this.pause();
    this.hasMoved = true;
    this.go(to);
  }

  /** A link to this position, without the token of a seat. */
  get address() {
    return `${location.origin}${location.pathname}?ply=${this.ply}&seat=${this.seat}`;
  }
}

/** The position that the address of the page links to, if it does. */
export function linkedPosition() {
  const asked = new URLSearchParams(location.search);
  if (!asked.has("ply")) return null;
  const seat = Number(asked.get("seat") ?? ALL);
  return { ply: Number(asked.get("ply")) || 0, seat: Number.isInteger(seat) ? seat : ALL };
}
