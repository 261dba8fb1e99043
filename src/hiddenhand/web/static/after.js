// What a table shows after a match: the review. The strip at the top leads through the match; below it
// are the position, the card of the decision there, and the equilibrium by hand.

import { Board } from "./board.js";
import { decisionCard, decisionList, note } from "./decision.js";
import { fill, focusedName, h, newId } from "./dom.js";
import { handsTable } from "./hands.js";
import { drawDecision } from "./judged_board.js";
import { isError } from "./marks.js";
import { Replay, linkedPosition } from "./replay.js";
import { Review } from "./review.js";
import { copyLink } from "./share.js";
import { Strip, stepButton } from "./strip.js";
import { REPLAY, REVIEW as R, SHARE } from "./review_texts.js";
import { S } from "./strings.js";

const ALL = -6;

export class After {
  /**
   * @param {object} options
   * @param {(message: object) => void} options.say sends a message
   * @param {{players: string[], you: number | null, unit: string, stored: [number, number] | null, seconds: number}} options.table
   *   the frame that describes the table
   * @param {(frame: object) => void} options.onPosition takes a position that is shown
   * @param {(svg: SVGSVGElement, picture: object) => void} [options.onDraw] called with a drawn scene
   * @param {(report: object | null) => void} [options.onReport] takes what the review says about the
   *   position: a plan and a belief to be drawn on the board
   */
  constructor({ say, table, onPosition, onDraw = () => {}, onReport = () => {} }) {
    this.say = say;
    this.table = table;
    this.onPosition = onPosition;
    this.onReport = onReport;
    this.seat = table.you ?? 0;
    this.returns = [];
    this.position = null;
    this.review = new Review(table);
    this.replay = new Replay(say, (frame) => this.show(frame), (ply) => this.turn(ply));
    this.strip = new Strip((ply) => this.go(ply));
    this.board = new Board(() => {}, table.you, (svg, picture) => {
      onDraw(svg, picture);
      drawDecision(svg, picture, this.decision);
    });
    this.parts = this.makeParts();
    this.element = this.makeElement();
    this.element.hidden = true;
  }

  makeParts() {
    const step = (sign, name, to) => stepButton(sign, name, () => this.go(to()));
    return {
      kicker: h("p", { class: "soft small", role: "status" }, S.table.over),
      headline: h("h2", { class: "headline", "aria-live": "polite" }),
      sum: h("p", { class: "soft small" }),
      progress: h("span", { class: "soft small", role: "status" }),
      stop: h("button", { type: "button", class: "small", onclick: () => this.turnWork() }),
      work: h("div", { class: "row work" }),
      whose: h("div", { class: "segments", role: "group", "aria-label": R.whose }),
      sees: h("div", { class: "segments", role: "group", "aria-label": REPLAY.seenBy }),
      where: h("strong", { "aria-live": "polite" }),
      card: h("div", {}),
      hands: h("div", {}),
      aside: h("div", { class: "aside" }),
      tools: h("div", { class: "stack tools" }),
      play: stepButton("▶", REPLAY.play, () => this.replay.play()),
      steps: [step("«", REPLAY.first, () => 0), step("‹", REPLAY.back, () => this.replay.ply - 1),
        step("›", REPLAY.on, () => this.replay.ply + 1), step("»", REPLAY.last, () => this.replay.plies)],
    };
  }

  makeElement() {
    const { parts, table } = this;
    const steps = [parts.steps[0], parts.steps[1], parts.play, parts.steps[2], parts.steps[3]];
    fill(parts.work, parts.progress, parts.stop);
    return h("div", { class: "after" },
      h("div", { class: "result" },
        h("div", {}, parts.kicker, parts.headline, parts.sum),
        h("div", { class: "row" }, parts.whose, this.following())),
      parts.work,
      this.strip.element,
      h("div", { class: "replayed" },
        h("section", { class: "card board replay", "aria-label": S.table.picture },
          h("div", { class: "row between" }, parts.where, parts.sees),
          this.board.element, parts.tools,
          h("div", { class: "row steps" }, steps),
          h("p", { class: "soft small keys" }, REPLAY.hint),
          this.sharing()),
        h("div", { class: "column" }, parts.card, parts.hands)),
      parts.aside);
  }

  /** The buttons that lead to another match. */
  following() {
    const { stored, you } = this.table;
    if (!stored) return h("button", { class: "main", type: "button", onclick: () => this.say({ type: "again" }) }, you === null ? S.table.next : S.table.again);
    const [number, count] = stored;
    const to = (name, other) => h("button", { type: "button", disabled: other < 0 || other >= count, onclick: () => this.say({ type: "stored", number: other }) }, name);
    return [h("span", { class: "soft" }, REPLAY.stored(number + 1, count)), to(REPLAY.previousMatch, number - 1), to(REPLAY.nextMatch, number + 1)];
  }

  sharing() {
    const button = (name, message) => h("button", { type: "button", class: "small", onclick: () => this.say(message()) }, name);
    this.hand = [button(R.hand, () => ({ type: "hand_history" })), button(R.masked, () => ({ type: "hand_history", masked: true }))];
    for (const one of this.hand) one.hidden = true;
    return h("details", { class: "sharing" },
      h("summary", {}, `⋯ ${SHARE.title}`),
      h("div", { class: "row" },
        button(REPLAY.film, () => ({ type: "film", seat: this.replay.seat })), button(REPLAY.record, () => ({ type: "record" })), this.hand,
        h("button", { type: "button", class: "small", onclick: () => copyLink(this.replay.address) }, REPLAY.link)));
  }

  // --- what the page of the table calls ---

  get isOpen() {
    return this.replay.isOpen;
  }

  /** The ply of the position that is shown; undefined during the match. */
  get ply() {
    return this.isOpen ? this.replay.ply : undefined;
  }

  /**
   * Open the review of a match.
   * @param {{plies: number, returns: number[]}} view the last view of the match
   * @param {object} during
   * @param {HTMLElement} during.place what the page showed during the match
   * @param {HTMLElement[]} during.tools the switch of the board
   * @param {HTMLElement[]} during.aside the log and the engine, which are of use after it, too
   */
  open(view, during) {
    const linked = linkedPosition();
    this.returns = view.returns;
    during.place.after(this.element);
    during.place.hidden = true;
    fill(this.parts.tools, during.tools);
    fill(this.parts.aside, during.aside);
    this.element.hidden = false;
    this.strip.show({ plies: view.plies });
    this.replay.hasMoved = Boolean(linked);
    this.replay.open(view.plies, linked ?? { seat: this.table.you ?? ALL });
    this.begin();
    this.draw();
  }

  /** Say whether the page is connected. */
  connect(isOpen) {
    fill(this.parts.kicker, isOpen ? S.table.over : S.link.lost);
  }

  /** The page has connected again: the server forgot what it asked for. */
  resume() {
    if (!this.isOpen) return;
    this.replay.go(this.replay.ply);
    if (this.review.works) this.begin();
  }

  takePosition(frame) {
    this.replay.take(frame);
  }

  takeReview(frame) {
    this.review.take(frame);
    if (frame.state === "done") this.goToWorst();
    this.draw();
  }

  /** The server refuses to ask a bot, or to deal anew. */
  refuse(frame) {
    if (frame.to === "ask") this.review.take({ state: "unanswered", why: frame.why });
    this.drawn = "";
    this.draw();
  }

  // --- moving through the match ---

  go(ply) {
    this.replay.hasMoved = true;
    this.replay.go(ply);
  }

  /** Show the costliest move of a solved match, unless the reader has moved on already. */
  goToWorst() {
    const [worst] = this.review.of(this.seat).filter((one) => isError(one.mark)).sort((one, other) => other.loss - one.loss);
    if (this.replay.hasMoved || !worst || !this.review.isExact) return;
    this.replay.go(worst.ply);
  }

  turn(ply) {
    this.strip.turn(ply);
    fill(this.parts.play, this.replay.isPlaying ? "❚❚" : "▶");
    this.parts.play.setAttribute("aria-label", this.replay.isPlaying ? REPLAY.pause : REPLAY.play);
    this.drawHere();
  }

  show(frame) {
    const who = frame.mover === this.table.you ? REPLAY.youMove : frame.mover >= 0 ? REPLAY.toMove(frame.mover + 1) : frame.mover === -1 ? REPLAY.chance : REPLAY.end;
    this.position = frame;
    this.board.show(frame.pictures);
    fill(this.parts.where, `${REPLAY.ply(frame.ply, this.replay.plies)}. ${who}.`);
    this.onPosition(frame);
    this.report();
  }

  /** The decision at the position that the board shows, if it is judged. */
  get decision() {
    const { ply } = this.replay;
    return this.position?.ply === ply ? this.review.decisions.get(ply) : undefined;
  }

  /** Draw the decision once on the board, and offer its belief and its plan to the overlay. */
  report() {
    const { decision } = this;
    if (decision === this.reported?.decision && this.position === this.reported?.position) return;
    this.reported = { decision, position: this.position };
    for (const [svg, picture] of this.board.scenes()) drawDecision(svg, picture, this.decision);
    if (decision) this.onReport({ ghosts: decision.ghosts, plan: decision.plan, actions: decision.actions, policy: decision.policy });
  }

  // --- the review ---

  begin() {
    this.review.state = "begun";
    this.say({ type: "review" });
  }

  turnWork() {
    if (this.review.works) this.say({ type: "review_stop" });
    else this.begin();
  }

  retry(ply, button) {
    button.disabled = true;
    fill(button, R.dealing);
    this.say({ type: "retry", ply });
  }

  ask(bot, seconds) {
    this.review.ask(bot);
    this.say({ type: "ask", player: bot, seconds });
    this.draw();
  }

  draw() {
    const { parts, review } = this;
    fill(parts.headline, review.headline(this.seat, this.returns));
    fill(parts.sum, review.parts(this.seat));
    fill(parts.progress, review.progress);
    parts.progress.classList.toggle("pulse", review.works);
    parts.stop.hidden = review.isExact || !(review.works || review.state === "stopped") || !review.begun;
    parts.work.hidden = !review.progress && parts.stop.hidden;
    fill(parts.stop, review.works ? R.stop : R.goOn);
    for (const one of this.hand) one.hidden = !review.begun?.poker;
    this.drawWhose();
    const sum = review.sums.get(this.seat);
    this.strip.show({
      course: sum?.course ?? [], decisions: [...review.decisions.values()], seat: this.seat,
      title: sum ? R.course(this.seat === this.table.you ? R.yours : R.playersOf(this.seat + 1), review.unit, review.isExact) : "",
    });
    this.drawHere();
    this.report();
  }

  /** The switches for whose play is reviewed, and for who sees the position. */
  drawWhose() {
    const seats = [...this.review.sums.keys()].sort();
    const segment = (name, isOn, onclick) => h("button", { type: "button", "aria-pressed": isOn ? "true" : "false", onclick }, name);
    const name = (seat) => (seat === this.table.you ? R.you : R.player(seat + 1));
    this.parts.whose.hidden = seats.length < 2;
    keep(this.parts.whose, seats.map((seat) => segment(name(seat), seat === this.seat, () => { this.seat = seat; if (this.replay.seat !== ALL) this.replay.see(seat); this.draw(); })));
    const knew = this.seat === this.table.you ? R.youKnew : R.playerKnew(this.seat + 1);
    keep(this.parts.sees, [
      segment(knew, this.replay.seat === this.seat, () => this.see(this.seat)),
      segment(R.wasTrue, this.replay.seat === ALL, () => this.see(ALL)),
    ]);
  }

  see(seat) {
    this.replay.see(seat);
    this.drawWhose();
  }

  /** The card of the decision at this position, and the table of hands. */
  drawHere() {
    const { review, parts } = this;
    const { ply } = this.replay;
    const decision = review.decisions.get(ply);
    const about = [ply, decision, review.answerAt(ply), review.answering && review.asked.size, review.why, this.seat, review.hands.size];
    const drawn = JSON.stringify(decision ? about : [...about, review.decisions.size, review.progress]);
    if (drawn === this.drawn) return; // so that a form keeps what was typed
    this.drawn = drawn;
    const table = review.hands.get(decision?.seat ?? this.seat);
    fill(parts.hands, table ? handsTable(table, ply, (to) => this.go(to)) : null);
    if (!decision) {
      const own = review.of(this.seat);
      note(parts.card, h("h3", {}, own.length ? R.decisions : R.title),
        own.length ? decisionList(own, review.unit, (to) => this.go(to)) : h("p", { class: "soft" }, review.works ? R.appear : R.noDecision));
      return;
    }
    const focused = focusedName(parts.card);
    const isOwn = decision.seat === this.table.you;
    fill(parts.card, decisionCard(decision, {
      unit: review.unit, isExact: review.isExact, isOwn, asked: review.answerAt(ply), buttons: this.buttons(decision),
    }));
    if (focused) parts.card.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  buttons(decision) {
    const { review } = this;
    const again = h("button", { type: "button", class: "main", "data-name": "again", onclick: (event) => this.retry(decision.ply, event.currentTarget) }, R.tryAgain);
    if (review.answering) return [again, h("span", { class: "soft small", role: "status" }, R.asking(review.answering, review.asked.size))];
    const [bot, seconds] = [newId(), newId()];
    const named = h("input", { id: bot, type: "text", class: "mono", value: review.bot || "oos(targeting=ist)", list: "bots", maxLength: 500, autocomplete: "off", spellcheck: false });
    const time = h("input", { id: seconds, type: "number", min: 0.05, max: 60, step: 0.05, value: 0.5 });
    const form = h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); this.ask(named.value.trim(), Number(time.value)); } },
      h("label", { for: bot }, R.botName), named, h("label", { for: seconds }, S.think.seconds), time,
      h("button", { type: "submit" }, R.askButton));
    const asking = h("details", { class: "ask" }, h("summary", { class: "button", "data-name": "ask" }, R.ask), form,
      review.why && review.bot ? h("p", { class: "warm small" }, review.why) : null);
    asking.open = Boolean(review.bot && review.why);
    return [again, asking];
  }
}

/** Fill a group of buttons, and keep the focus on the button that had it. */
function keep(group, buttons) {
  const place = [...group.children].indexOf(document.activeElement);
  fill(group, buttons);
  if (place >= 0) group.children[place]?.focus();
}
