// The set-up of a table: the seats, the parameters of the game, and the link for a friend.

import { copyText, fill, h } from "./dom.js";
import { parameterForm } from "./form.js";
import { seatFields } from "./seats.js";
import { SETUP } from "./start_texts.js";
import { keepTable } from "./tables.js";
import { showDialog } from "./top.js";

const OFTEN = 1500; // milliseconds between two looks whether the friend has come

/** The address of a table, with the token of a seat if there is one. */
export function addressOf(place, token) {
  return `/table/${place}${token ? `#${token}` : ""}`;
}

/**
 * Open the dialog.
 * @param {{ game: string, name: string, players: number, against?: string, exact?: boolean, trained: object | null }} game
 * @param {{ say: (message: object) => void }} link
 * @returns {{ take: (frame: object) => boolean }} what takes the frames that answer the dialog
 */
export function setUp(game, link) {
  const [seats, parameters] = [h("div", { class: "seats" }), h("div")];
  const more = h("details", { class: "more", hidden: true }, h("summary", {}, SETUP.game), parameters);
  const [error, note] = [h("p", { class: "wrong", role: "alert" }), h("p", { class: "soft small", "aria-live": "polite" })];
  const open = h("button", { class: "main", type: "submit" }, SETUP.open);
  const form = h("form", { class: "stack", novalidate: true, onsubmit: begin }, seats, more, note, error, h("div", { class: "row last" }, open));
  const dialog = showDialog(SETUP.title(game.name), form);
  dialog.classList.add("setup");
  let spec = game.game;
  let [rows, fields, fits] = [[], null, null];
  let timer = 0;
  dialog.addEventListener("close", () => clearInterval(timer));

  function seat(count, trained) {
    const before = rows.map((row) => row.who());
    rows = Array.from({ length: count }, (_, number) =>
      seatFields(number, { who: before[number] ?? (number ? "bot" : "me"), bot: game.against ?? "auto", perfect: Boolean(game.exact), trained, changed }));
    fill(seats, rows.map((row) => row.element));
    if (fits) for (const row of rows) row.offer(fits);
    changed();
  }

  function changed(by) {
    const mine = rows.findIndex((row, number) => row.who() === "me" && number !== by);
    if (by !== undefined && rows[by].who() === "me" && mine >= 0) rows[mine].become("bot"); // there is only one "you"
    fill(error);
    const [people, friends] = [rows.filter((row) => row.who() !== "bot"), rows.filter((row) => row.who() === "friend")];
    fill(note, people.length ? (friends.length ? SETUP.linkFollows(friends.length) : "") : SETUP.watch);
  }

  function begin(event) {
    event.preventDefault();
    open.disabled = true;
    fields?.clear();
    link.say({ type: "open", game: spec, players: rows.map((row) => row.value()), seconds: 1 });
  }

  function describe(frame) {
    game = { ...game, name: frame.name };
    if (rows.length !== frame.players || frame.trained?.time !== game.trained?.time) seat(frame.players, frame.trained);
    game.trained = frame.trained;
    if (fields || !frame.form.fields.length) return; // the form stays as the person filled it in
    fields = parameterForm(frame.form.base, frame.form.fields, (changedSpec) => {
      spec = changedSpec;
      fields.clear();
      fill(error);
      link.say({ type: "look_up", game: spec });
    });
    fill(parameters, fields.element);
    more.hidden = false;
  }

  function refuse({ why, field }) {
    open.disabled = false;
    const number = Number(/^seat (\d+)$/.exec(field ?? "")?.[1] ?? 0);
    if (number && rows[number - 1]) rows[number - 1].refuse(why);
    else if (field === "game" && fields?.refuse(why)) more.open = true;
    else fill(error, why);
  }

  function opened(way) {
    const friends = rows.flatMap((row, number) => (row.who() === "friend" ? [number] : []));
    if (!friends.length || !way.invitations?.length) {
      location.href = addressOf(way.place, way.token);
      return;
    }
    keepTable(way); // the person may wait here, and leave
    const shown = linkScreen(way);
    fill(form, shown.element);
    shown.focus();
    timer = setInterval(() => link.say({ type: "standing", seats: [{ place: way.place, token: way.token }] }), OFTEN);
    arrived = shown.arrived;
  }
  let arrived = null;

  seat(game.players, game.trained);
  link.say({ type: "look_up", game: spec });
  return {
    take(frame) {
      if (!dialog.isConnected) return false;
      if (frame.type === "game" && frame.game === spec) describe(frame);
      else if (frame.type === "fits" && frame.game === spec) {
        fits = frame;
        for (const row of rows) row.offer(fits);
      } else if (frame.type === "refused" && ["open", "look_up"].includes(frame.to)) refuse(frame);
      else if (frame.type === "opened") opened(frame);
      else if (frame.type === "standing" && arrived) arrived(frame.tables[0]?.here ?? []);
      else return false;
      return true;
    },
  };
}

/** The links of friends, and who has come. */
function linkScreen(way) {
  const waiting = new Map(way.invitations.map(({ seat }) => [seat, h("p", { class: "arrival soft", role: "status" }, SETUP.waits)]));
  const go = h("a", { class: "button", href: addressOf(way.place, way.token) }, SETUP.toTable);
  const links = way.invitations.map(({ seat, token }) => {
    const field = h("input", { type: "text", class: "mono", readOnly: true, value: location.origin + addressOf(way.place, token), "aria-label": SETUP.player(seat + 1), onfocus: () => field.select() });
    const said = h("p", { class: "soft small", role: "status" });
    const copy = async () => fill(said, (await copyText(field.value, field)) ? SETUP.copied : SETUP.copyByHand);
    return h("div", { class: "stack invitation" },
      h("h3", {}, SETUP.player(seat + 1)),
      h("div", { class: "row" }, field, h("button", { type: "button", class: "main", onclick: copy }, SETUP.copy)),
      said,
      waiting.get(seat));
  });
  return {
    element: h("div", { class: "stack" }, h("p", {}, SETUP.sendLink(links.length)), links, h("div", { class: "row" }, go)),
    focus: () => links[0].querySelector("button").focus(),
    arrived(here) {
      for (const [seat, line] of waiting) {
        if (!here.includes(seat) || line.classList.contains("here")) continue;
        line.classList.add("here");
        fill(line, SETUP.came);
        go.classList.add("main");
      }
    },
  };
}
