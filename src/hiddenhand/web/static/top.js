// The bar at the top of every page: the name, what the page adds, and the switch for light and dark.

import { h } from "./dom.js";
import { S } from "./strings.js";

const ORDER = ["system", "light", "dark"];

export function applyTheme() {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** Fill the bar; `more` are elements of the page, at its right side. */
export function makeTop(...more) {
  applyTheme();
  const name = () => {
    const theme = localStorage.getItem("theme") ?? "system";
    return `${S.theme.switch}: ${S.theme[theme]}`;
  };
  const turn = () => {
    const theme = localStorage.getItem("theme") ?? "system";
    localStorage.setItem("theme", ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length]);
    applyTheme();
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

/** A line at the bottom of the page that says something for a while. */
export function notify(text, kind = "note") {
  let place = document.getElementById("notices");
  if (!place) {
    place = h("div", { id: "notices", role: "status", "aria-live": "polite" });
    document.body.append(place);
  }
  const said = h("p", { class: `notice ${kind}` }, text);
  place.append(said);
  setTimeout(() => said.remove(), 6000);
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
