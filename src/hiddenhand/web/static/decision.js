// The card of one decision of a match that is over: what each move is worth, what was given away, what
// the player could believe, and buttons to try again or to ask a bot.

import { fill, h, percent } from "./dom.js";
import { amount, counted, isError, nameOf, SIGNS, withSign } from "./marks.js";
import { REVIEW as R } from "./review_texts.js";
import { S } from "./strings.js";

const MOST_MOVES = 9;
const MOST_SECRETS = 6;

/**
 * @typedef {object} Decision
 * @property {number} ply
 * @property {number} seat
 * @property {string[]} names
 * @property {number} chosen
 * @property {number[]} policy
 * @property {number[]} payoffs
 * @property {number[]} margins
 * @property {number} loss
 * @property {number} loss_margin
 * @property {string} mark
 * @property {{name: string, p: number}[]} secrets
 * @property {{count: number, p: number}} rest
 * @property {string} said
 * @property {string} told
 */

/**
 * @param {Decision} decision
 * @param {object} about
 * @param {string} about.unit what payoffs are counted in
 * @param {boolean} about.isExact whether the game is solved
 * @param {boolean} about.isOwn whether the decision is the reader's
 * @param {{bot: string, policy: number[], regret?: number, mean?: number, most?: number}} [about.asked]
 *   what a bot would have done, what its play loses here, and over the match on average and at most
 * @param {Node[]} about.buttons
 */
export function decisionCard(decision, { unit, isExact, isOwn, asked, buttons }) {
  const said = isOwn ? decision.said : decision.told;
  return h("section", { class: `card decision ${decision.mark}`, "aria-labelledby": "decision" },
    h("h3", { id: "decision" }, h("span", { class: `sign ${decision.mark}`, "aria-hidden": "true" }, SIGNS[decision.mark]), ` ${nameOf(decision.mark)}: ${said}`),
    movesTable(decision, isExact, asked),
    h("p", {}, sentence(decision, unit, isExact)),
    asked ? h("p", { class: "soft small" }, R.botSays(asked.bot), asked.regret === undefined ? "" : R.botLoses(counted(asked.regret, unit), amount(asked.mean), amount(asked.most))) : null,
    beliefList(decision, isOwn),
    h("div", { class: "row" }, buttons));
}

/** What the move gave away, in words. */
export function sentence(decision, unit, isExact) {
  const name = decision.names[decision.chosen];
  const lost = isExact || decision.loss === 0 ? counted(decision.loss, unit) : `${amount(decision.loss)} ± ${counted(decision.loss_margin, unit)}`;
  if (isError(decision.mark)) return isExact ? R.gives(name, lost) : R.seems(name, lost);
  if (decision.names.length === 1) return R.forced;
  if (decision.mark === "open") return R.undecided(name, counted(difference(decision) + decision.loss_margin, unit));
  return decision.mark === "best" ? R.isBest(name, isExact) : R.isMix(name, isExact);
}

function difference(decision) {
  return Math.max(...decision.payoffs) - decision.payoffs[decision.chosen];
}

/** The places of the moves to show, in the order of the game; of many moves the likeliest. */
function shownMoves({ names, policy, payoffs, chosen }) {
  const places = names.map((_, place) => place);
  if (places.length <= MOST_MOVES) return places;
  const order = [...places].sort((one, other) => policy[other] - policy[one] || payoffs[other] - payoffs[one]);
  const kept = order.slice(0, MOST_MOVES);
  return kept.includes(chosen) ? kept : [...kept.slice(0, -1), chosen];
}

function movesTable(decision, isExact, asked) {
  const { names, policy, payoffs, margins, chosen } = decision;
  const shown = shownMoves(decision);
  const aligned = payoffs.some((payoff) => Math.abs(payoff - Math.round(payoff)) > 0.005);
  const bar = (p) => {
    const inner = h("div");
    inner.style.width = `${100 * p}%`;
    return h("div", { class: "bar", "aria-hidden": "true" }, inner);
  };
  const row = (place) => h("tr", { class: place === chosen ? "chosen" : "" },
    h("th", { scope: "row" }, names[place], place === chosen ? [" ", h("span", { class: "yours" }, R.played)] : null),
    h("td", { class: "how" }, bar(policy[place])),
    h("td", { class: "number" }, percent(policy[place])),
    asked ? h("td", { class: "number" }, percent(asked.policy[place])) : null,
    h("td", { class: "number" }, withSign(payoffs[place], aligned), margins[place] > 0.005 ? h("span", { class: "soft" }, ` ± ${amount(margins[place])}`) : null));
  const heads = [[R.move, ""], [isExact ? R.equilibrium : R.search, "how"], ["%", "number"], ...(asked ? [[R.bot, "number"]] : []), [R.payoff, "number"]];
  const left = names.length - shown.length;
  return h("div", { class: "moves-table" },
    h("table", {},
      h("caption", { class: "hidden-text" }, R.worth),
      h("thead", {}, h("tr", {}, heads.map(([name, kind]) => h("th", { scope: "col", class: kind }, name)))),
      h("tbody", {}, shown.map(row))),
    left ? h("p", { class: "soft small" }, R.more(left)) : null);
}

function beliefList({ secrets, rest }, isOwn) {
  if (!secrets.length || (secrets.length === 1 && !rest.count)) return null;
  const shown = secrets.slice(0, MOST_SECRETS);
  const others = secrets.slice(MOST_SECRETS);
  const count = others.length + rest.count;
  const p = others.reduce((sum, one) => sum + one.p, rest.p);
  const entries = count ? [...shown, { name: S.think.rest(count), p }] : shown;
  return h("details", { class: "could-know", open: true },
    h("summary", {}, isOwn ? R.youCouldKnow : R.theyCouldKnow),
    h("ul", {}, entries.filter((one) => one.p >= 0.0005).map((one) => {
      const inner = h("div");
      inner.style.width = `${100 * one.p}%`;
      return h("li", {}, h("span", {}, one.name), h("div", { class: "bar", "aria-hidden": "true" }, inner), h("span", { class: "number" }, percent(one.p)));
    })));
}

/** The decisions of a seat as a list that leads to each of them. */
export function decisionList(decisions, unit, go) {
  return h("ol", { class: "decisions" }, decisions.map((one) => h("li", {},
    h("button", { type: "button", class: `quiet ${one.mark}`, onclick: () => go(one.ply) },
      h("span", { class: `sign ${one.mark}`, "aria-hidden": "true" }, SIGNS[one.mark]),
      h("span", { class: "what" }, one.said), h("span", { class: "soft" }, nameOf(one.mark)),
      h("span", { class: "number" }, isError(one.mark) ? withSign(-one.loss) : "")))));
}

/** Empty the card and show a sentence. */
export function note(element, ...said) {
  return fill(element, h("section", { class: "card decision" }, ...said));
}
