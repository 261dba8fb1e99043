// The start page: what this is, the tables of this browser, the games, and the way to a new table.

import { fill, h, newId, signed } from "./dom.js";
import { askForTables, showTables } from "./going.js";
import { Link } from "./link.js";
import { addressOf, setUp } from "./setup.js";
import { gameShelf } from "./shelf.js";
import { START } from "./start_texts.js";
import { S } from "./strings.js";
import { makeTop, notify } from "./top.js";

const FIRST = "leduc_poker";
const WATCHED = { game: "phantom_ttt", players: 2 };

const main = document.getElementById("main");
const going = h("section", { "aria-labelledby": "continue", hidden: true });
let lobby = null;
let dialog = null; // the set-up that is open
let own = null; // the field that names another game, and its error

makeTop();
document.getElementById("first").addEventListener("click", playFirst);
document.getElementById("watch").addEventListener("click", watchBots);

const link = new Link(location.hash === "#play" ? { play: true } : {}, take, (state) => {
  if (state === "lost" && lobby) notify(S.link.lost);
});
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return; // the browser shows the page again as it was left
  enable();
  askForTables(link);
});

function take(frame) {
  if (dialog?.take(frame)) return;
  if (frame.type === "lobby") showLobby(frame);
  else if (frame.type === "opened") goTo(frame);
  else if (frame.type === "standing") showTables(going, frame.tables);
  else if (frame.type === "game" && own?.asked === frame.game) {
    own.asked = null;
    own.field.removeAttribute("aria-invalid");
    open(frame);
  } else if (frame.type === "refused") refused(frame);
}

function refused({ why, to }) {
  enable();
  if (to !== "look_up" || !own) {
    notify(why, "refused");
    return;
  }
  own.field.setAttribute("aria-invalid", "true");
  fill(own.error, why);
}

function enable() {
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button:disabled"));
  for (const button of buttons) button.disabled = false;
}

function goTo(way) {
  forgetPlay();
  location.href = addressOf(way.place, way.token);
}

// The address of the command line opens one table: neither a page that comes back nor a new connection opens another.
function forgetPlay() {
  link.hello = {};
  if (location.hash === "#play") history.replaceState(null, "", "/");
}

function showLobby(frame) {
  const again = lobby !== null;
  lobby = frame;
  forgetPlay();
  askForTables(link);
  if (again) return; // the page has connected again; what it shows stays
  enable();
  fill(main,
    main.querySelector(".hero"),
    frame.stored ? storedMatches(frame.stored) : null,
    going,
    gameShelf(frame.games, (game) => openWith(game.game, seats(game.players, against(game))), (game) => open({ ...game, against: against(game) })),
    ownGame());
}

const seats = (players, bot) => Array.from({ length: players }, (_, seat) => (seat ? bot : "person"));
const against = (game) => (lobby.offer?.game === game.game ? lobby.offer.against : game.against);

function openWith(game, players) {
  link.say({ type: "open", game, players, seconds: 1 });
}

function open(game) {
  dialog = setUp(game, link);
}

function playFirst(event) {
  event.currentTarget.disabled = true;
  const game = lobby.games.find((entry) => entry.game === FIRST);
  openWith(FIRST, seats(game.players, against(game)));
}

function watchBots(event) {
  event.currentTarget.disabled = true;
  openWith(WATCHED.game, Array(WATCHED.players).fill("auto"));
}

function ownGame() {
  const [id, about] = [newId(), newId()];
  const field = h("input", { id, type: "text", class: "mono", placeholder: "dark_hex(size=4)", maxLength: 1000, autocomplete: "off", spellcheck: false, "aria-describedby": about });
  const error = h("p", { class: "wrong", id: about, role: "alert" });
  own = { field, error, asked: null };
  const choose = (event) => {
    event.preventDefault();
    fill(error);
    own.asked = field.value.trim();
    if (own.asked) link.say({ type: "look_up", game: own.asked });
  };
  return h("section", { class: "card own" },
    h("form", { class: "stack", onsubmit: choose },
      h("h2", {}, h("label", { for: id, class: "plain" }, START.own)),
      h("div", { class: "row" }, field, h("button", { type: "submit" }, START.ownButton)),
      error,
      h("p", { class: "soft small" }, START.ownHint)));
}

function storedMatches(matches) {
  const shown = matches.slice(0, 500);
  return h("section", { class: "card own", "aria-labelledby": "stored" },
    h("h2", { id: "stored" }, START.stored),
    h("ol", { class: "matches", tabindex: 0, "aria-label": START.stored },
      shown.map((match) => h("li", {},
        h("span", {}, START.storedMatch(match, match.returns.map(signed).join(" / "))),
        h("button", { type: "button", "aria-label": START.lookNamed(match.number + 1), onclick: () => link.say({ type: "stored", number: match.number }) }, START.look)))));
}
