// What a review has found so far, and its headline in words.

import { counted, amount, withSign } from "./marks.js";
import { REVIEW as R } from "./review_texts.js";
import { S } from "./strings.js";

const NOTHING = 0.005;

export class Review {
  /** @param {{unit?: string, you: number | null, players: string[]}} table */
  constructor(table) {
    this.table = table;
    this.unit = table.unit ?? "points";
    this.clear();
  }

  clear() {
    this.begun = null;
    this.decisions = new Map(); // by ply
    this.sums = new Map(); // by seat
    this.hands = new Map(); // by seat
    this.asked = new Map(); // by ply
    this.bot = "";
    this.state = "";
    this.answering = "";
    this.why = "";
  }

  /** Take a frame of the server. */
  take(frame) {
    switch (frame.state) {
      case "begun": {
        const { asked, bot, answering } = this;
        this.clear();
        Object.assign(this, { begun: frame, state: "begun", asked, bot, answering });
        break;
      }
      case "judged": this.decisions.set(frame.decision.ply, frame.decision); this.state = "begun"; break;
      case "summed": this.sums.set(frame.seat, frame); break;
      case "hands": this.hands.set(frame.seat, frame); break;
      case "asked": this.asked.set(frame.ply, frame); break;
      case "answered": this.answering = ""; break;
      case "unanswered": this.answering = ""; this.why = frame.why; break;
      default: Object.assign(this, { state: frame.state, why: frame.why ?? "" });
    }
  }

  /** Ask a bot anew. */
  ask(bot) {
    this.asked.clear();
    this.bot = bot;
    this.answering = bot;
    this.why = "";
  }

  /** What the bot would have done at a ply, with its losses over the match. */
  answerAt(ply) {
    const answer = this.asked.get(ply);
    if (answer?.regret === undefined) return answer;
    const regrets = [...this.asked.values()].map((one) => one.regret);
    return { ...answer, mean: regrets.reduce((sum, one) => sum + one, 0) / regrets.length, most: Math.max(...regrets) };
  }

  get isExact() {
    return Boolean(this.begun?.exact);
  }

  get works() {
    return this.state === "begun" || this.state === "compiling";
  }

  /** The decisions of a seat, in order. */
  of(seat) {
    return [...this.decisions.values()].filter((one) => one.seat === seat).sort((one, other) => one.ply - other.ply);
  }

  /** How far the work is, in words. */
  get progress() {
    if (this.state === "compiling") return S.think.preparing;
    if (this.works && this.isExact) return R.working;
    if (this.works && this.begun) return R.judging(this.decisions.size + 1, this.begun.decisions);
    if (this.state === "stopped") return R.stopped(this.decisions.size);
    return this.state === "failed" ? this.why : "";
  }

  /**
   * The headline for a seat: "You lost 1 chip. Your play cost 2.28, the cards gave +1.37."
   * @param {number} seat
   * @param {number[]} returns
   */
  headline(seat, returns) {
    const isOwn = seat === this.table.you;
    const paid = returns[seat];
    const who = isOwn ? R.you : R.player(seat + 1);
    const result = paid > 0 ? R.won(who, counted(paid, this.unit)) : paid < 0 ? R.lost(who, counted(paid, this.unit)) : R.drawn(who);
    const sum = this.sums.get(seat);
    if (!sum) return result;
    const { own, others, cards, own_margin } = sum.parts;
    const whose = isOwn ? R.your : R.their;
    if (!this.isExact) {
      if (this.works) return result;
      return `${result} ${own < NOTHING ? R.costNothingClear(whose) : R.costAbout(whose, amount(own), counted(own_margin, this.unit))}`;
    }
    const cost = own < NOTHING ? R.costNothing(whose) : R.cost(whose, amount(own));
    const errors = others < NOTHING ? "" : R.errors(withSign(others));
    return `${result} ${cost}${errors}${R.cards(this.begun.poker ? R.theCards : R.luck, withSign(cards))}`;
  }

  /** The parts of the result of a seat as a sum, in words; empty where they are not known. */
  parts(seat) {
    const sum = this.sums.get(seat);
    if (!sum || !this.isExact) return "";
    const { result, value, own, others, cards } = sum.parts;
    return R.parts(withSign(result), withSign(value), withSign(-own), withSign(others), withSign(cards), this.begun.poker);
  }
}
