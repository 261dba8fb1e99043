// The games of the start page: cards with pictures, filters by kind, and a search box.

import { fill, h, newId } from "./dom.js";
import { START } from "./start_texts.js";

/**
 * @typedef {{ game: string, name: string, summary: string, kinds: string[], minutes: number, exact: boolean, package?: string,
 *   players: number, against: string, trained: { time: string, bot: string } | null }} ShelfGame
 */

const KINDS = ["cards", "dice", "board", "pursuit", "at_once", "research"];
const RESEARCH = "research";

/**
 * The section with the games.
 * @param {ShelfGame[]} games
 * @param {(game: ShelfGame) => void} play
 * @param {(game: ShelfGame) => void} setUp
 */
export function gameShelf(games, play, setUp) {
  const [search, grid, rest, none] = [newId(), h("ul", { class: "games" }), h("ul", { class: "games" }), h("p", { class: "soft", role: "status" })];
  const folded = h("details", { class: "folded" }, h("summary", {}, START.research(games.filter(isResearch).length)), rest);
  const cards = new Map(games.map((game, number) => [game, gameCard(game, number, play, setUp)]));
  const box = h("input", { id: search, type: "search", placeholder: START.search, "aria-label": START.search, autocomplete: "off", oninput: show });
  let kind = "";
  const filters = ["", ...KINDS].map((value) =>
    h("button", { type: "button", class: "filter", "aria-pressed": String(value === ""), "data-kind": value, onclick: () => choose(value) }, START.kinds[value || "all"]));

  function choose(value) {
    kind = value;
    for (const button of filters) button.setAttribute("aria-pressed", String(button.dataset.kind === value));
    show();
  }

  function show() {
    const wanted = box.value.trim().toLowerCase();
    const fitting = games.filter((game) => (!kind || game.kinds.includes(kind)) && (!wanted || words(game).includes(wanted)));
    const apart = !kind && !wanted; // research games are folded where nothing is asked for
    fill(grid, fitting.filter((game) => !(apart && isResearch(game))).map((game) => cards.get(game)));
    fill(rest, apart ? fitting.filter(isResearch).map((game) => cards.get(game)) : []);
    folded.hidden = !apart || !games.some(isResearch);
    fill(none, fitting.length ? "" : START.noGame(box.value.trim()));
  }
  show();
  return h("section", { class: "stack shelf", "aria-labelledby": "games" },
    h("div", { class: "shelf-top" },
      h("h2", { id: "games" }, START.games),
      h("div", { class: "filters", role: "group", "aria-label": START.filter }, filters),
      box),
    grid, none, folded);
}

const isResearch = (game) => game.kinds.includes(RESEARCH);
const words = (game) => [game.name, game.summary, game.game, ...game.kinds.map((kind) => START.kinds[kind] ?? "")].join(" ").toLowerCase();

/** What stands below the line of a game: players, minutes, and whether it is solved. */
function tags(game) {
  return [
    START.players(game.players),
    game.minutes ? START.minutes(game.minutes) : "",
    game.exact ? START.exact : "",
    game.trained ? START.trainedTag : "",
    game.package ? START.from(game.package) : "",
  ].filter(Boolean);
}

/** @param {ShelfGame} game */
function gameCard(game, number, play, setUp) {
  const picture = h("img", { src: `/picture?game=${encodeURIComponent(game.game)}`, alt: "", width: 320, height: 200, loading: number < 4 ? "eager" : "lazy", decoding: "async" });
  const start = h("button", { class: "play", type: "button", "aria-label": START.playNamed(game.name), onclick: () => { start.disabled = true; play(game); } }, game.name);
  return h("li", {},
    h("article", { class: "card game" },
      h("div", { class: "picture" }, picture),
      h("div", { class: "about" },
        h("div", { class: "heading" },
          h("h3", {}, start),
          h("button", { class: "quiet round more", type: "button", title: START.setUpNamed(game.name), "aria-label": START.setUpNamed(game.name), onclick: () => setUp(game) }, "⋯")),
        h("p", { class: "say" }, game.summary),
        h("p", { class: "tags" }, tags(game).join(" · ")))));
}
