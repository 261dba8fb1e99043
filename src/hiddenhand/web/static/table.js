// The page of a table. It shows the frames of the server, and sends the moves of its person.

import { After } from "./after.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { download, fill, h } from "./dom.js";
import { Link } from "./link.js";
import { Log } from "./log.js";
import { Moves } from "./moves.js";
import { Overlay } from "./overlay.js";
import { S } from "./strings.js";
import { Thinking } from "./thinking.js";
import { makeTop, notify, showDialog } from "./top.js";

const place = location.pathname.split("/").pop();
const token = location.hash.slice(1);
const main = document.getElementById("main");

const state = { table: null, status: null, view: null, said: "connecting", drawing: false };
let page = null;

makeTop();
fill(main, h("p", { class: "soft pulse" }, S.link.connecting));

const link = new Link({ place, token }, take, (said) => {
  if (said === "lost" && state.said === "open") notify(S.link.lost);
  if (said === "lost" && state.view) state.view = { ...state.view, mine: false, actions: [] }; // until the server sends the view again
  state.said = said;
  page?.after.connect(said === "open");
  draw();
});

const TAKEN = {
  loading: () => page || fill(main, h("p", { class: "soft pulse" }, S.link.loading)),
  table: (frame) => setTable(frame),
  status: (frame) => Object.assign(state, { status: frame }),
  view: (frame) => Object.assign(state, { view: frame }),
  position: (frame) => page?.after.takePosition(frame),
  thought: (frame) => {
    page?.thinking.take(frame);
    if (frame.slot === 0) page?.overlay.take(frame);
  },
  below: (frame) => page?.thinking.slots[frame.slot].below.take(frame),
  bot: (frame) => page?.thinking.takeBot(frame, state.table.players),
  opened: (frame) => { location.href = `/table/${frame.place}${frame.token ? `#${frame.token}` : ""}`; },
  record: (frame) => download(`${JSON.stringify(frame.record, null, 1)}\n`, `${frame.record.game.replace(/\W+/g, "_")}.json`, "application/json"),
  film: (frame) => download(frame.text, `${place}.svg`, "image/svg+xml"),
  review: (frame) => page?.after.takeReview(frame),
  hand_history: (frame) => download(frame.text, `${place}.txt`, "text/plain"),
  learned: (frame) => page && fill(page.learned, S.table.learned(frame)),
  refused: (frame) => refused(frame),
};

function take(frame) {
  TAKEN[frame.type]?.(frame);
  if (frame.type === "status" || frame.type === "view") drawSoon();
}

function refused(frame) {
  if (frame.to === "think") for (const slot of page.thinking.slots) if (slot.busy) slot.refuse(frame.why);
  if (page && (frame.to === "ask" || frame.to === "retry")) page.after.refuse(frame);
  if (frame.to === "hello" || !page) fill(main, h("p", {}, frame.why), h("p", {}, h("a", { href: "/" }, S.home)));
  else notify(frame.why, "refused");
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
  if (known?.place === frame.place && page) return page.after.resume(); // the page has connected again
  page = makePage(frame);
  document.title = S.table.title(frame.title);
}

function makePage(table) {
  const play = (action) => {
    if (state.view?.mine) link.say({ type: "act", turn: state.view.turn, action });
  };
  const type = (text) => link.say({ type: "type", turn: state.view.turn, text });
  const onDraw = (svg, picture) => made.overlay?.draw(svg, picture);
  const made = {
    board: new Board(play, table.you, onDraw),
    moves: new Moves(play, type),
    log: new Log(),
    clock: new Clock(),
    what: h("p", { class: "what", role: "status", "aria-live": "polite" }),
    more: h("p", { class: "soft small" }),
    learned: h("p", { class: "soft small", "aria-live": "polite" }),
    back: h("button", { type: "button", onclick: () => link.say({ type: "take_back" }) }, S.table.takeBack),
    isOver: false,
    turn: null,
  };
  made.overlay = new Overlay(() => [...made.board.scenes(), ...(made.after?.board.scenes() ?? [])]);
  made.thinking = new Thinking((message) => link.say(message), () => made.after.ply, () => made.overlay.take(null));
  made.after = new After({ say: (message) => link.say(message), table, onPosition: showPosition, onDraw, onReport: (report) => made.overlay.take(report) });
  made.status = h("div", { class: "status" }, made.what, h("div", { class: "row" }, made.clock.element, made.overlay.element, made.board.switch, made.back));
  made.place = h("div", { class: "place" },
    h("div", { class: "column" },
      h("section", { class: "card board", "aria-label": S.table.picture }, made.status, made.more, made.board.element, made.overlay.caption, made.moves.element, made.learned)),
    h("div", { class: "column" }, made.log.element, made.thinking.element));
  fill(
    main,
    h("div", { class: "heading" }, h("h1", {}, table.title), table.title === table.game ? null : h("span", { class: "mono" }, table.game), people(table)),
    made.place,
    made.after.element,
    h("datalist", { id: "bots" }, table.bots.map((value) => h("option", { value }))),
  );
  makeTop(
    h("button", { class: "quiet", type: "button", onclick: () => showRules(table) }, S.table.rules),
    h("button", { class: "quiet", type: "button", onclick: () => showLinks(table) }, S.table.invite),
  );
  return made;
}

function people(table) {
  return h("ul", { class: "people" }, table.players.map((player, seat) => {
    const who = seat === table.you ? S.table.you : player === "person" ? S.table.person : player;
    return h("li", { class: seat === table.you ? "me" : "" }, `${S.table.seat(seat + 1)}: ${who}`);
  }));
}

function draw() {
  if (!page || !state.view) return;
  const { view, status, table } = state;
  const waking = Boolean(status?.waking) && !view.over && !view.mine;
  const failed = status?.state === "failed";
  const ready = status?.state === "playing" && state.said === "open";
  const mine = view.mine && !view.over;
  page.status.classList.toggle("mine", mine && ready);
  fill(page.what, headline(view, status, table));
  page.what.classList.toggle("pulse", waking || state.said !== "open");
  fill(page.more, status?.waking && !view.over ? S.table.compiled(status.compiled) : failed ? status.why : "");
  page.more.hidden = !page.more.textContent;
  main.dataset.turn = mine && ready ? view.turn : "";
  page.clock.run(mine && ready);
  page.clock.element.hidden = table.you === null;
  page.back.hidden = !(table.can_take_back && view.turn > 0 && !view.over && ready);
  page.moves.show(mine && ready ? view.actions : []);
  page.moves.element.hidden = !(mine && ready);
  if (!page.after.isOpen) {
    page.board.show(view.pictures);
    page.log.show(view.log);
    page.thinking.allow(mine && ready);
  }
  if (page.turn !== view.turn || !mine) page.thinking.moveOn();
  page.turn = mine ? view.turn : null;
  if (view.over && !page.isOver) end(view);
}

function headline(view, status, table) {
  if (state.said !== "open") return S.link.lost;
  if (view.over) return S.table.over;
  if (status?.state === "failed") return S.table.failed;
  if (status?.waking && !view.mine) return S.table.waking;
  if (table.sees === "all") return S.table.seeing;
  if (table.sees === "public") return S.table.watching;
  return view.mine ? S.table.yourMove : S.table.othersMove;
}

function end(view) {
  page.isOver = true;
  page.thinking.end();
  page.after.open(view, { place: page.place, tools: [page.overlay.element, page.overlay.caption], aside: [page.log.element, page.thinking.element] });
}

function showPosition(frame) {
  page.board.show(frame.pictures);
  page.log.show(frame.log);
  page.thinking.moveOn();
  page.thinking.allow(frame.mover >= 0);
}

function showRules(table) {
  showDialog(S.table.rules, h("div", { class: "rules" }, table.rules));
}

function showLinks(table) {
  const invited = JSON.parse(sessionStorage.getItem(`invite ${table.place}`) ?? "[]");
  const address = `${location.origin}/table/${table.place}`;
  const entry = (name, value) => {
    const field = h("input", { type: "text", readOnly: true, value, "aria-label": name });
    const copy = (event) => {
      field.select();
      navigator.clipboard?.writeText(value);
      event.currentTarget.textContent = S.table.copied;
    };
    return h("div", { class: "row" }, h("span", {}, name), field, h("button", { type: "button", onclick: copy }, S.table.copy));
  };
  showDialog(S.table.inviteTitle,
    h("p", { class: "soft" }, S.table.inviteLead),
    h("div", { class: "links" },
      invited.map((seat) => entry(S.table.seat(seat.seat + 1), `${address}#${seat.token}`)),
      entry(S.table.watchLink, address)));
}
