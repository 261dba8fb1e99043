// The tree below a position. The page asks the server for a node when the reader opens it.

import { fill, figure, h, newId, percent, signed } from "./dom.js";
import { S } from "./strings.js";

export class Below {
  /** ask: called with a secret and the moves from the position; the answer comes to `take`. */
  constructor(ask) {
    this.ask = ask;
    this.waiting = new Map();
    this.secrets = h("select", { id: newId(), onchange: () => this.begin() });
    this.tree = h("div", { class: "tree" });
    this.details = h("details", { ontoggle: () => this.details.open && this.begin() },
      h("summary", {}, S.think.below),
      h("div", { class: "stack" }, h("label", { for: this.secrets.id, class: "hidden-text" }, S.think.belief), this.secrets, this.tree));
    this.element = h("div", { class: "chart" }, this.details);
    this.offer([]);
  }

  /** Offer the possible secrets; the tree shows the one that the reader selects. */
  offer(secrets) {
    this.element.hidden = !secrets.length;
    if (JSON.stringify(secrets) === this.known) return;
    this.known = JSON.stringify(secrets);
    fill(this.secrets, secrets.map((name) => h("option", { value: name }, name || "–")));
    fill(this.tree);
    this.details.open = false;
  }

  begin() {
    this.open([], this.tree);
  }

  open(way, place) {
    const secret = this.secrets.value;
    this.waiting.set(JSON.stringify([secret, way]), place);
    this.ask(secret, way);
  }

  take(node) {
    const place = this.waiting.get(JSON.stringify([node.secret, node.way]));
    if (!place) return;
    if (node.mover === null) {
      fill(place, h("p", { class: "soft small" }, S.think.paysHere(node.returns.map(signed).join(" / "))));
      return;
    }
    const who = node.mover < 0 ? S.think.chanceMoves : S.think.movesHere(node.mover + 1);
    const weight = node.policy ? (node.weight === undefined ? "" : S.think.weight(figure(node.weight))) : S.think.unknown;
    fill(place, h("p", { class: "soft small" }, [who, weight].filter(Boolean).join(" · ")), node.moves.map((move, index) => this.branch(node, move, index)));
  }

  branch(node, move, index) {
    const place = h("div", { class: "twigs" });
    const said = [
      move.name, node.policy ? percent(node.policy[index]) : "", node.regrets ? S.think.regret(figure(node.regrets[index])) : "",
      node.visits ? S.think.visits(figure(node.visits[index])) : "", Number.isFinite(node.values?.[index]) ? S.think.value(signed(node.values[index])) : "",
    ];
    const details = h("details", { ontoggle: () => details.open && !place.childElementCount && this.open([...node.way, move.action], place) },
      h("summary", {}, said.filter(Boolean).join(" · ")), place);
    return details;
  }
}
