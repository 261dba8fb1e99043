// The page of a table. It shows the frames of the server, and sends the moves of its person.

import { After } from "./after.js";
import { Bar } from "./bar.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { download, fill, h } from "./dom.js";
import { Engine } from "./engine.js";
import { Link } from "./link.js";
import { Log } from "./log.js";
import { Overlay } from "./overlay.js";
import { Pace } from "./pace.js";
import { Row } from "./row.js";
import { Invitations } from "./sharing.js";
import { click } from "./sound.js";
import { T } from "./texts.js";
import { S } from "./strings.js";
import { keepTable } from "./tables.js";
import { makeTop, notify } from "./top.js";

const place = location.pathname.split("/").pop();
const token = location.hash.slice(1);
const main = document.getElementById("main");
const NOBODY = { here: [], missing: [], watching: 0, engines: [], rematch: [] };

const state = { table: null, status: null, view: null, presence: NOBODY, said: "connecting", drawing: false, unanswered: null };
let page = null;

makeTop();
fill(main, h("p", { class: "soft pulse" }, T.link.connecting));

const link = new Link({ place, token }, take, (said) => {
  if (said === "lost" && state.said === "open") notify(T.link.lost);
  if (said === "lost" && state.view) state.view = { ...state.view, mine: false }; // until the server sends the view again
  state.said = said;
  page?.after.connect(said === "open");
  draw();
});

const TAKEN = {
  loading: () => page || fill(main, h("p", { class: "soft pulse" }, T.link.loading)),
  table: (frame) => setTable(frame),
  status: (frame) => Object.assign(state, { status: frame }),
  view: (frame) => takeView(frame),
  presence: (frame) => takePresence(frame),
  invitations: (frame) => page?.invitations.take(frame.seats),
  pace: (frame) => page?.pace.take(frame),
  engines: (frame) => page?.engine.takeEngines(frame),
  position: (frame) => page?.after.takePosition(frame),
  thought: (frame) => page?.engine.take(frame),
  below: (frame) => page?.engine.below.take(frame),
  bot: (frame) => page?.engine.takeBot(frame),
  opened: (frame) => { location.href = `/table/${frame.place}${frame.token ? `#${frame.token}` : ""}`; },
  record: (frame) => download(`${JSON.stringify(frame.record, null, 1)}\n`, `${frame.record.game.replace(/\W+/g, "_")}.json`, "application/json"),
  film: (frame) => download(frame.text, `${place}.svg`, "image/svg+xml"),
  review: (frame) => page?.after.takeReview(frame),
  hand_history: (frame) => download(frame.text, `${place}.txt`, "text/plain"),
  learned: (frame) => page && fill(page.learned, S.table.learned(frame)),
  refused: (frame) => refused(frame),
};
const DRAWN = new Set(["status", "view", "presence", "pace"]);

function take(frame) {
  TAKEN[frame.type]?.(frame);
  if (DRAWN.has(frame.type)) drawSoon();
}

function takeView(frame) {
  const before = state.view;
  state.view = frame;
  state.unanswered = null;
  page?.board.note(frame.pictures);
  if (before && frame.log.length > before.log.length) click(/^you\b/.test(frame.log[frame.log.length - 1]));
}

function takePresence(frame) {
  const before = state.presence;
  state.presence = frame;
  const others = (seats, known) => seats.filter((seat) => !known.includes(seat) && seat !== state.table?.you);
  for (const seat of others(frame.engines, before.engines)) notify(T.status.advisedNow(T.person(seat)));
  for (const seat of others(before.engines, frame.engines)) notify(T.status.advisedNoMore(T.person(seat)));
  for (const seat of others(frame.rematch, before.rematch)) {
    const join = h("button", { class: "main", type: "button", onclick: () => link.say({ type: "again" }) }, state.table.you === null ? T.rematch.watch : T.rematch.join);
    notify(T.rematch.wanted(T.person(seat)), "lasting", join);
  }
}

function refused(frame) {
  if (frame.to === "think") page?.engine.refuse(frame.why);
  if (page && (frame.to === "ask" || frame.to === "retry")) page.after.refuse(frame);
  if ((frame.to === "act" || frame.to === "type") && state.unanswered) {
    state.view = state.unanswered;
    state.unanswered = null;
    drawSoon();
  }
  if (frame.to === "hello" || !page) {
    fill(main, h("div", { class: "nothing" }, h("h1", {}, T.nothing), h("p", {}, frame.why), h("p", {}, h("a", { class: "button main", href: "/" }, T.bar.games))));
  } else if (frame.to !== "think") notify(frame.why, "refused");
}

/** Draw the last frame soon: many frames may come in quick succession. */
function drawSoon() {
  if (state.drawing) return;
  state.drawing = true;
  setTimeout(() => {
    state.drawing = false;
    draw();
  }, 15);
}

function setTable(frame) {
  const known = state.table;
  state.table = frame;
  if (frame.you !== null) keepTable({ place, token }); // for "Continue" on the start page
  if (known?.place === frame.place && page) return page.after.resume(); // the page has connected again
  page = makePage(frame);
  document.title = T.title(frame.title);
}

/** Send a move. The page shows at once that it is no longer one's turn. */
function answer(message) {
  if (!state.view?.mine) return;
  link.say({ ...message, turn: state.view.turn });
  state.unanswered = state.view;
  state.view = { ...state.view, mine: false };
  drawSoon();
}

function makePage(table) {
  const say = (message) => link.say(message);
  const play = (action) => answer({ type: "act", action });
  const onDraw = (svg, picture) => made.overlay?.draw(svg, picture);
  const board = new Board(play, table.you, onDraw);
  const made = {
    board,
    row: new Row({ play, type: (text) => answer({ type: "type", text }), onDraw: () => made.overlay?.redraw() }),
    log: new Log(),
    clock: new Clock(),
    invitations: new Invitations(table, () => say({ type: "invite" })),
    pace: new Pace(say),
    what: h("p", { class: "what", role: "status", "aria-live": "polite" }),
    last: h("p", { class: "last soft small" }),
    more: h("p", { class: "more soft small" }),
    learned: h("p", { class: "soft small", "aria-live": "polite" }),
    back: h("button", { type: "button", "aria-label": T.row.takeBack, onclick: () => say({ type: "take_back" }) }, "↶", h("span", { class: "wide" }, T.row.takeBack)),
    isOver: false,
  };
  made.overlay = new Overlay(() => [...board.scenes(), ...(made.after?.board.scenes() ?? [])]);
  made.overlay.element.hidden = table.sees === "public";
  made.engine = new Engine({ say, table, onThought: (report) => made.overlay.take(report) });
  made.after = new After({ say, table, onPosition: showPosition, onDraw, onReport: (report) => made.overlay.take(report) });
  made.bar = new Bar({
    table,
    onInvite: () => made.invitations.show(),
    more: [{ name: () => (board.asText ? T.bar.asPicture : T.bar.asText), act: () => { board.turn(); draw(); } }],
  });
  made.head = h("div", { class: "head" }, h("div", { class: "said" }, made.what, made.last), h("div", { class: "tools" }, made.clock.element, made.overlay.element));
  made.place = h("div", { class: "during" },
    h("div", { class: "left" },
      h("section", { class: "card board", "aria-label": T.picture }, h("div", { class: "stage" }, made.head, made.more, made.invitations.banner, board.element, made.overlay.caption), made.row.element),
      made.learned),
    h("div", { class: "right" }, made.engine.element, made.log.element));
  made.engine.element.hidden = table.sees === "public";
  fill(
    main,
    made.place,
    made.after.element,
    h("datalist", { id: "bots" }, table.bots.map((value) => h("option", { value }))),
  );
  if (table.sees !== "public") say({ type: "engines" });
  return made;
}

function draw() {
  if (!page || !state.view) return;
  const { view, status, table, presence } = state;
  const ready = status?.state === "playing" && state.said === "open";
  const mine = view.mine && !view.over && ready;
  page.bar.show(presence, view.over ? scoreAfter(table.score, view.returns) : table.score);
  page.invitations.update(view.over ? [] : presence.missing);
  page.head.classList.toggle("mine", mine);
  fill(page.what, headline(view, status, table));
  page.what.classList.toggle("pulse", (status?.waking && !view.over && !view.mine) || state.said !== "open");
  const failed = status?.state === "failed" && !view.over;
  fill(page.more, failed ? status.why : "");
  page.more.hidden = !failed;
  fill(page.last, [view.log[view.log.length - 1], ...remarks(view, status, table, presence)].filter(Boolean).join(" · "));
  main.dataset.turn = mine ? view.turn : "";
  main.dataset.state = view.over ? "over" : status?.state === "failed" ? "failed" : mine ? "mine" : "waiting";
  page.clock.run(mine);
  page.clock.element.hidden = table.you === null || view.over;
  if (!page.after.isOpen) {
    page.board.show(view.pictures);
    page.log.show(view.log);
    page.engine.show(positionOf(view, table, mine, ready));
  }
  drawRow(view, status, table, mine, ready);
  if (view.over && !page.isOver) end(view);
}

/** The position for the engine, during the match. */
function positionOf(view, table, mine, ready) {
  if (table.sees === "all") return { key: `log ${view.log.length}`, may: ready && page.pace.paused, why: T.engine.notWhilePlaying };
  return { key: `turn ${view.turn}`, may: mine, why: T.engine.notNow };
}

function drawRow(view, status, table, mine, ready) {
  const { row } = page;
  page.back.disabled = !(view.turn > 0 && ready);
  row.showExtras(table.can_take_back && !view.over && status?.state !== "failed" ? page.back : null);
  if (view.over) row.showInstead();
  else if (status?.state === "failed") row.showInstead(cures(table));
  else if (table.sees === "all") row.showInstead(page.pace.element);
  else if (table.sees === "public") row.showInstead(h("span", { class: "soft" }, T.status.public));
  else row.show(mine, view.actions, page.board);
}

function headline(view, status, table) {
  if (state.said !== "open") return T.link.lost;
  if (view.over) return T.status.over;
  if (status?.state === "failed") return T.status.failed;
  if (status?.waking && !view.mine) return T.status.waking;
  if (table.sees === "all") return T.status.seeing;
  if (table.sees === "public") return T.status.watching;
  return view.mine ? T.status.yourMove : T.status.others;
}

/** What a person waits for, or should know of the others. */
function remarks(view, status, table, presence) {
  if (view.over) return [];
  const others = table.players.map((player, seat) => seat).filter((seat) => table.players[seat] === "person" && seat !== table.you);
  const named = (seats) => seats.map(T.person).join(T.status.and);
  const away = others.filter((seat) => !presence.here.includes(seat) && !presence.missing.includes(seat));
  const advised = others.filter((seat) => presence.engines.includes(seat));
  return [
    status?.waking && !view.mine ? T.status.compiling(status.compiled) : "",
    away.length ? T.status.away(named(away)) : "",
    advised.length ? T.status.advised(named(advised)) : "",
  ];
}

/** The matches won by each seat when this one is over: a player wins whose payoff is above all others. */
function scoreAfter(score, returns) {
  const best = Math.max(...returns);
  const alone = returns.filter((paid) => paid === best).length === 1;
  return score.map((won, seat) => won + (alone && returns[seat] === best ? 1 : 0));
}

/** What to do when a match has stopped. */
function cures(table) {
  const players = table.players.map((player) => (player === "person" ? player : "auto"));
  const open = () => link.say({ type: "open", game: table.game, players, seconds: table.seconds });
  return h("div", { class: "result" },
    h("button", { class: "main", type: "button", onclick: open }, T.row.auto),
    h("a", { class: "button", href: "/" }, T.row.games));
}

function end(view) {
  page.isOver = true;
  page.engine.end();
  page.after.open(view, { place: page.place, tools: [page.overlay.element, page.overlay.caption], aside: [page.log.element, page.engine.element] });
}

/** Show a position of the replay. */
function showPosition(frame) {
  page.board.show(frame.pictures, false);
  page.log.show(frame.log);
  page.engine.show({ key: `ply ${frame.ply}`, ply: frame.ply, may: frame.mover >= 0, why: T.engine.notHere });
}
