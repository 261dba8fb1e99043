// The start page: the games, the set-up of seats, and the way to a new table.

import { fill, h, newId, signed } from "./dom.js";
import { Link } from "./link.js";
import { S } from "./strings.js";
import { makeTop, notify, showDialog } from "./top.js";

const main = document.getElementById("main");
let lobby = null;
let waiting = null; // takes the next answer to look_up

makeTop();
fill(main, hero(), h("p", { class: "soft pulse", id: "loading" }, S.link.loading));

const link = new Link({}, take, (state) => {
  if (state === "lost" && lobby) notify(S.link.lost);
});

function take(frame) {
  if (frame.type === "lobby") showLobby(frame);
  else if (frame.type === "opened") goTo(frame);
  else if (frame.type === "game") waiting?.(frame);
  else if (frame.type === "refused") refused(frame.why);
}

function refused(why) {
  notify(why, "refused");
  for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
}

function goTo(way) {
  if (way.invitations?.length) sessionStorage.setItem(`invite ${way.place}`, JSON.stringify(way.invitations));
  location.href = `/table/${way.place}${way.token ? `#${way.token}` : ""}`;
}

function hero() {
  return h("div", { class: "hero" }, h("h1", {}, S.start.title), h("p", {}, S.start.lead));
}

function showLobby(frame) {
  const again = lobby !== null;
  lobby = frame;
  if (location.hash === "#play" && frame.offer) {
    history.replaceState(null, "", "/");
    const game = frame.games.find((entry) => entry.game === frame.offer.game) ?? frame.games[0];
    play(frame.offer.game, game.players, frame.offer.against);
    return;
  }
  if (again) return; // the page has connected again; what it shows stays
  fill(
    main,
    hero(),
    frame.stored ? storedMatches(frame.stored) : null,
    h("section", { class: "stack", "aria-labelledby": "games" },
      h("h2", { id: "games" }, S.start.games),
      h("ul", { class: "games" }, frame.games.map(gameCard))),
    ownGame(),
    bots(),
  );
}

function play(game, players, against) {
  const seats = Array.from({ length: players }, (_, seat) => (seat ? against : "person"));
  link.say({ type: "open", game, players: seats, seconds: 1 });
}

function gameCard(game) {
  const start = (event) => {
    event.currentTarget.disabled = true;
    play(game.game, game.players, lobby.offer?.game === game.game ? lobby.offer.against : game.against);
  };
  return h("li", {},
    h("article", { class: "card game" },
      h("h3", {}, game.name),
      h("p", { class: "say" }, game.summary),
      h("p", { class: "mono" }, game.game, game.players > 2 ? ` · ${S.start.players(game.players)}` : ""),
      h("div", { class: "row" },
        h("button", { class: "main", type: "button", "aria-label": S.start.playNamed(game.name), onclick: start }, S.start.play),
        h("button", { class: "quiet", type: "button", "aria-label": S.start.setUpNamed(game.name), onclick: () => setUp(game) }, S.start.setUp)),
      game.trained ? h("p", { class: "soft small" }, S.start.trained(game.trained.time), " ",
        h("button", { class: "quiet", type: "button", onclick: () => play(game.game, game.players, game.trained.bot) }, S.start.playTrained)) : null));
}

function ownGame() {
  const id = newId();
  const typed = h("input", { id, type: "text", class: "mono", placeholder: "dark_hex(size=4)", maxLength: 1000, autocomplete: "off", spellcheck: false });
  const choose = (event) => {
    event.preventDefault();
    if (!typed.value.trim()) return;
    waiting = (frame) => setUp(frame);
    link.say({ type: "look_up", game: typed.value.trim() });
  };
  return h("section", { class: "card own" },
    h("form", { class: "stack", onsubmit: choose },
      h("h2", {}, h("label", { for: id, class: "plain" }, S.start.own)),
      h("div", { class: "row" }, typed, h("button", { type: "submit" }, S.start.ownButton)),
      h("p", { class: "soft small" }, S.start.ownHint)));
}

function bots() {
  return h("datalist", { id: "bots" }, lobby.bots.map((bot) => h("option", { value: bot.player }, bot.summary)));
}

function storedMatches(matches) {
  const shown = matches.slice(0, 500);
  return h("section", { class: "card own", "aria-labelledby": "stored" },
    h("h2", { id: "stored" }, S.start.stored),
    h("ol", { class: "matches", tabindex: 0, "aria-label": S.start.stored },
      shown.map((match) => h("li", {},
        h("span", {}, S.start.storedMatch(match, match.returns.map(signed).join(" / "))),
        h("button", { type: "button", "aria-label": S.start.lookNamed(match.number + 1), onclick: () => link.say({ type: "stored", number: match.number }) }, S.start.look)))));
}

// --- the set-up of seats ---

function setUp({ game, players, trained }) {
  const seats = Array.from({ length: players }, (_, seat) => seatRow(seat));
  const seconds = h("input", { id: newId(), type: "number", min: 0.05, max: 60, step: 0.05, value: 1 });
  const open = h("button", { class: "main", type: "submit" }, S.setup.open);
  const note = h("p", { class: "soft small", "aria-live": "polite" });
  const look = () => fill(note, seats.some((seat) => seat.who() !== "bot") ? "" : S.setup.watch);
  for (const seat of seats) seat.row.addEventListener("change", look);
  const begin = (event) => {
    event.preventDefault();
    open.disabled = true;
    link.say({ type: "open", game, players: seats.map((seat) => seat.value()), seconds: Number(seconds.value) });
  };
  showDialog(
    S.setup.title(game),
    h("form", { class: "stack", onsubmit: begin },
      h("div", { class: "seats" }, seats.map((seat) => seat.row)),
      h("p", { class: "soft small" }, S.setup.botHint),
      trained ? h("p", { class: "soft small" }, S.start.trained(trained.time), " ",
        h("button", { class: "quiet", type: "button", onclick: () => seats.forEach((seat) => seat.name(trained.bot)) }, S.setup.useTrained)) : null,
      h("div", { class: "row" }, h("label", { for: seconds.id }, S.setup.seconds), seconds),
      note,
      h("div", { class: "row" }, open)),
  );
}

function seatRow(seat) {
  const number = seat + 1;
  const select = h("select", { "aria-label": S.setup.seat(number), id: `seat${number}` },
    h("option", { value: "me" }, S.setup.me),
    h("option", { value: "friend" }, S.setup.friend),
    h("option", { value: "bot" }, S.setup.bot));
  select.value = seat ? "bot" : "me";
  const bot = h("input", { type: "text", value: "auto", class: "mono", list: "bots", "aria-label": S.setup.which(number), maxLength: 500, autocomplete: "off", spellcheck: false });
  const show = () => { bot.hidden = select.value !== "bot"; };
  select.addEventListener("change", show);
  show();
  return {
    row: h("div", { class: "seat" }, h("span", {}, S.setup.seat(number)), select, bot),
    who: () => select.value,
    name: (spec) => { bot.value = spec; },
    value: () => (select.value === "bot" ? bot.value.trim() : "person"),
  };
}
