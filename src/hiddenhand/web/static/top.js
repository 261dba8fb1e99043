// The bar at the top of every page: the name, what the page adds, and the switch for light and dark.

import { h } from "./dom.js";
import { recall, remember } from "./memory.js";
import { S } from "./strings.js";

const ORDER = ["system", "light", "dark"];

export function applyTheme() {
  const theme = recall("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** Turn to the next theme: of the system, light, dark. */
export function turnTheme() {
  remember("theme", ORDER[(ORDER.indexOf(turnTheme.present()) + 1) % ORDER.length]);
  applyTheme();
}
turnTheme.present = () => recall("theme") ?? "system";

/** Fill the bar; `more` are elements of the page, at its right side. */
export function makeTop(...more) {
  applyTheme();
  const name = () => `${S.theme.switch}: ${S.theme[turnTheme.present()]}`;
  const turn = () => {
    turnTheme();
    button.title = name();
    button.setAttribute("aria-label", name());
  };
  const button = h("button", { class: "quiet round", id: "theme", type: "button", title: name(), "aria-label": name(), onclick: turn }, "◐");
  const skip = h("a", { class: "skip", href: "#main" }, S.skip);
  const home = h(
    "a",
    { class: "brand", href: "/", "aria-label": `${S.name}: ${S.home}` },
    h("img", { src: new URL("icon.svg", import.meta.url).pathname, alt: "", width: 28, height: 28 }),
    h("span", {}, S.name),
  );
  document.getElementById("top").replaceChildren(skip, home, h("div", { class: "tools" }, ...more, h("a", { class: "button quiet", href: "/lab" }, S.toLab), button));
}

/** A line at the bottom of the page, or of the open dialog. A refusal, or a line with a button, stays
    until it is closed.
    @param {string} text
    @param {"note" | "refused" | "lasting"} kind
    @param {HTMLElement | null} button what the line offers to do */
export function notify(text, kind = "note", button = null) {
  const home = [...document.querySelectorAll("dialog[open]")].pop() ?? document.body;
  let place = home.querySelector(":scope > .notices");
  if (!place) {
    place = h("div", { class: "notices", role: "status", "aria-live": "polite" });
    home.append(place);
  }
  const close = () => said.remove();
  const said = h("p", { class: `notice ${kind}` }, h("span", {}, text), button,
    kind === "note" ? null : h("button", { class: "quiet round", type: "button", "aria-label": S.close, onclick: close }, "✕"));
  if (kind === "note") setTimeout(close, 6000);
  place.append(said);
}

/** A dialog with a title and a button that closes it. */
export function showDialog(title, ...content) {
  const heading = h("h2", {}, title);
  const dialog = h(
    "dialog",
    { "aria-label": title, onclose: () => dialog.remove() },
    h("div", { class: "sheet" },
      h("div", { class: "row between" }, heading,
        h("button", { class: "quiet round", type: "button", "aria-label": S.close, onclick: () => dialog.close() }, "✕")),
      ...content),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
