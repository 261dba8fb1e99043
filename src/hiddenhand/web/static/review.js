// After the match: what an equilibrium would have played, what each move lost against it, and what
// another bot would have done. A click on the number of a move shows its position.

import { figure, fill, h, newId, percent } from "./dom.js";
import { S } from "./strings.js";

const R = S.review;

export class Review {
  /** say: sends a message. go: shows the position after so many moves. */
  constructor(say, go) {
    this.say = say;
    this.go = go;
    this.moves = [];
    this.asked = new Map();
    this.bot = "";
    const ids = [newId(), newId()];
    this.player = h("input", { id: ids[0], type: "text", class: "mono", value: "oos(targeting=ist)", list: "bots", maxLength: 500, autocomplete: "off", spellcheck: false });
    this.seconds = h("input", { id: ids[1], type: "number", min: 0.05, max: 60, step: 0.05, value: 0.5 });
    this.exact = false;
    this.solve = h("button", { class: "main", type: "button", onclick: () => { this.exact = true; this.begin(this.bot); } }, R.solve);
    this.status = h("p", { class: "soft small", role: "status", "aria-live": "polite" });
    this.rows = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": R.title });
    this.sums = h("p", {});
    this.regrets = h("p", {});
    this.hands = h("div", { class: "row" },
      h("button", { type: "button", onclick: () => say({ type: "hand_history" }) }, R.hand),
      h("button", { type: "button", onclick: () => say({ type: "hand_history", masked: true }) }, R.masked));
    this.hands.hidden = true;
    const ask = (event) => {
      event.preventDefault();
      this.begin(this.player.value.trim());
    };
    this.element = h("section", { class: "card panel review stack" },
      h("h2", {}, R.title), h("p", { class: "soft small" }, R.lead),
      h("div", { class: "row" }, this.solve, this.status), this.sums, this.rows,
      h("form", { class: "row", onsubmit: ask },
        h("label", { for: ids[0] }, R.ask), this.player, h("label", { for: ids[1] }, S.think.seconds), this.seconds,
        h("button", { type: "submit" }, R.askButton)),
      this.regrets,
      this.hands);
    this.element.hidden = true;
  }

  begin(player = "") {
    this.element.hidden = false;
    this.bot = player;
    this.asked.clear();
    this.solve.hidden = this.exact;
    fill(this.status, this.exact && !this.judged ? R.working : player ? R.asking : "");
    this.status.classList.add("pulse");
    this.say({ type: "review", exact: this.exact, player, seconds: Number(this.seconds.value) });
  }

  take(frame) {
    if (frame.state === "judged") {
      this.moves = frame.moves;
      this.why = frame.why ?? "";
      this.hands.hidden = !frame.poker;
      this.judged = this.moves.some((move) => move.lost !== undefined);
    } else if (frame.state === "asked") this.asked.set(frame.move.ply, frame.move);
    if (frame.state === "done" || frame.state === "failed") {
      this.status.classList.remove("pulse");
      fill(this.status, frame.why ?? this.why);
    }
    this.draw();
  }

  draw() {
    const { judged } = this;
    const heads = [R.move, R.player, R.chosen, ...(judged ? [R.best, R.lost] : []), ...(this.asked.size ? [this.bot] : [])];
    const row = (move) => {
      const asked = this.asked.get(move.ply);
      return h("tr", {},
        h("td", {}, h("button", { type: "button", class: "quiet", "aria-label": R.look(move.ply + 1), onclick: () => this.go(move.ply) }, String(move.ply + 1))),
        h("td", {}, String(move.seat + 1)),
        h("td", {}, move.chosen ?? asked?.chosen ?? ""),
        judged ? [h("td", {}, `${move.best} ${percent(move.p_best)}${move.best === move.chosen ? "" : ` · ${move.chosen} ${percent(move.p)}`}`),
          h("td", { class: `value ${move.lost ? "lost" : ""}` }, figure(move.lost))] : null,
        this.asked.size ? h("td", {}, asked ? `${asked.best} ${percent(asked.p_best)}${asked.regret ? ` · ${R.regret(figure(asked.regret))}` : ""}` : "…") : null);
    };
    fill(this.rows, h("table", {},
      h("caption", { class: "hidden-text" }, R.title),
      h("thead", {}, h("tr", {}, heads.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, this.moves.map(row))));
    const sums = new Map();
    for (const move of this.moves) if (move.lost) sums.set(move.seat, (sums.get(move.seat) ?? 0) + move.lost);
    const regrets = [...this.asked.values()].map((move) => move.regret).filter((regret) => regret !== undefined);
    const mean = regrets.reduce((sum, regret) => sum + regret, 0) / regrets.length;
    fill(this.regrets, regrets.length ? R.regrets(this.bot, figure(mean), figure(Math.max(...regrets))) : "");
    fill(this.sums, judged ? [...new Set(this.moves.map((move) => move.seat))].sort().map((seat) => R.sum(seat + 1, figure(sums.get(seat) ?? 0))).join(" · ") : "");
  }
}
