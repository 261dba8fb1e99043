// The seats of a set-up: for each one a person or a bot, and for a bot its strength.

import { fill, h, newId } from "./dom.js";
import { parameterForm } from "./form.js";
import { SETUP } from "./start_texts.js";

/**
 * @typedef {{ player: string, summary: string, package: string, fields: import("./form.js").Field[] }} Bot
 * @typedef {{ perfect: boolean, bots: Bot[] }} Fits
 */

const SPECS = { random: "random", casual: "auto(seconds=0.1)", strong: "auto", perfect: "equilibrium" };
const USUAL = "strong";

/** The strength that names a bot; "custom" for other bots. */
function strengthOf(spec, trained) {
  if (trained && spec === trained.bot) return "trained";
  return Object.keys(SPECS).find((name) => SPECS[name] === spec) ?? "custom";
}

/**
 * A seat.
 * @param {number} seat its number, from 0
 * @param {{ who: string, bot: string, perfect: boolean, trained: { time: string, bot: string } | null,
 *   changed: (seat: number) => void }} begin what the fields say at first, and what to call after a change
 */
export function seatFields(seat, { who, bot, perfect, trained, changed }) {
  const number = seat + 1;
  const group = newId();
  const people = radios(group, ["me", "friend", "bot"], SETUP.who, who, mended);
  const levels = radios(`${group}level`, ["random", "casual", "strong", "perfect", ...(trained ? ["trained"] : []), "custom"], SETUP.strengths, strengthOf(bot, trained), mended);
  const about = h("p", { class: "soft small", "aria-live": "polite" });
  const error = h("p", { class: "wrong", role: "alert" });
  const custom = customBot(number, bot, () => fill(error));
  const level = h("fieldset", { class: "levels" }, h("legend", { class: "hidden-text" }, SETUP.which(number)), levels.element, about, custom.element);
  levels.enable("perfect", perfect);

  function mended() {
    fill(error);
    show();
    changed(seat);
  }

  function show() {
    level.hidden = people.value() !== "bot";
    custom.element.hidden = levels.value() !== "custom";
    fill(about, SETUP.strengthSays[levels.value()](trained?.time ?? ""));
  }
  show();
  return {
    element: h("fieldset", { class: "seat" }, h("legend", {}, SETUP.seat(number)), people.element, level, error),
    who: () => people.value(),
    become(person) {
      people.choose(person);
      show();
    },
    value() {
      if (people.value() !== "bot") return "person";
      if (levels.value() === "custom") return custom.value();
      return levels.value() === "trained" ? trained.bot : SPECS[levels.value()];
    },
    /** Offer the bots that can play the game. @param {Fits} fits */
    offer(fits) {
      levels.enable("perfect", fits.perfect);
      if (!fits.perfect && levels.value() === "perfect") levels.choose(USUAL);
      custom.offer(fits.bots);
      show();
    },
    refuse(why) {
      fill(error, why);
      error.scrollIntoView({ block: "nearest" });
    },
  };
}

/** A bot by name: a list of those that can play, the name as text, and its parameters as a form. */
function customBot(number, begin, changed) {
  const [id, pick] = [newId(), newId()];
  const typed = h("input", { id, type: "text", class: "mono", value: begin, maxLength: 500, autocomplete: "off", spellcheck: false });
  const select = h("select", { id: pick }, h("option", { value: "" }, SETUP.finding));
  const summary = h("p", { class: "soft small" });
  const parameters = h("div");
  const more = h("details", { hidden: true }, h("summary", {}, SETUP.parameters), parameters);
  let bots = [];
  let shown = "";

  function show() {
    const name = typed.value.trim().split("(")[0];
    const bot = bots.find((one) => one.player === name);
    select.value = bot ? name : "";
    fill(summary, [bot?.summary, bot?.package && SETUP.from(bot.package)].filter(Boolean).join(" "));
    more.hidden = !bot;
    if (bot && name !== shown) fill(parameters, parameterForm(name, bot.fields, (spec) => { typed.value = spec; changed(); }).element);
    shown = bot ? name : "";
  }
  typed.addEventListener("input", () => { show(); changed(); });
  select.addEventListener("change", () => {
    typed.value = select.value;
    show();
    changed();
  });
  return {
    element: h("div", { class: "stack custom" },
      h("div", { class: "two" },
        h("div", { class: "named" }, h("label", { for: pick }, SETUP.pick(number)), select),
        h("div", { class: "named" }, h("label", { for: id }, SETUP.byName(number)), typed)),
      summary,
      more),
    value: () => typed.value.trim() || SPECS[USUAL],
    offer(offered) {
      bots = offered;
      fill(select, h("option", { value: "" }, SETUP.other), bots.map((bot) => h("option", { value: bot.player }, bot.package ? `${bot.player} (${bot.package})` : bot.player)));
      show();
    },
  };
}

/** A row of choices, of which one is chosen. */
function radios(name, values, words, chosen, changed) {
  const inputs = values.map((value) => h("input", { type: "radio", name, value, checked: value === chosen, onchange: changed }));
  return {
    element: h("div", { class: "choices" }, inputs.map((input) => h("label", { class: "choice" }, input, h("span", {}, words[input.value])))),
    value: () => inputs.find((input) => input.checked)?.value ?? values[0],
    choose(value) {
      for (const input of inputs) input.checked = input.value === value;
    },
    enable(value, is) {
      const input = inputs.find((one) => one.value === value);
      if (!input) return;
      input.disabled = !is;
      input.parentElement.hidden = !is;
    },
  };
}
