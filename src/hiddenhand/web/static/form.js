// Parameters of games and bots as fields of a form, and the text that names them with their values.

import { fill, h, newId } from "./dom.js";
import { SETUP } from "./start_texts.js";

/**
 * @typedef {{ name: string, kind: "yes_no" | "whole" | "number" | "word" | "any", value: string,
 *   default: string | null, about: string, low?: number, high?: number, words?: string[] }} Field
 */

const WORD = /^[A-Za-z_]\w*$/;
const NO_WORDS = ["true", "false", "none"];

/**
 * A form of parameters.
 * @param {string} base the name that stands before the parentheses
 * @param {Field[]} fields
 * @param {(spec: string) => void} changed takes the new text after each change
 */
export function parameterForm(base, fields, changed) {
  const rows = fields.map((field) => parameterRow(field, () => changed(spec())));
  const spec = () => {
    const given = rows.map((row) => row.given()).filter(Boolean);
    return base + (given.length ? `(${given.join(",")})` : "");
  };
  return {
    element: h("div", { class: "parameters" }, rows.map((row) => row.element)),
    spec,
    /** Show an error at the field that it names. Returns whether there is one. */
    refuse(why) {
      const row = rows.find(({ name }) => why.includes(`${name}=`) || why.includes(` ${name} `));
      row?.refuse(why);
      return Boolean(row);
    },
    clear() {
      for (const row of rows) row.refuse("");
    },
  };
}

/** @param {Field} field @param {() => void} changed */
function parameterRow(field, changed) {
  const [id, about, wrong] = [newId(), newId(), newId()];
  const input = inputFor(field, id, `${about} ${wrong}`);
  const error = h("p", { class: "wrong small", id: wrong });
  input.addEventListener("change", changed);
  const list = field.words?.length ? h("datalist", { id: `${id}words` }, field.words.map((word) => h("option", { value: word }))) : null;
  if (list) input.setAttribute("list", list.id);
  const value = () => (field.kind === "yes_no" ? (input.checked ? "true" : "false") : input.value.trim());
  const usual = field.kind === "yes_no" ? (field.default ?? "").toLowerCase() : field.default;
  return {
    name: field.name,
    element: h("div", { class: `parameter ${field.kind}` },
      h("label", { for: id }, SETUP.parameter(field.name)),
      input,
      list,
      h("p", { class: "soft small", id: about }, field.about),
      error),
    given: () => (value() === "" || value() === usual ? "" : `${field.name}=${written(field.kind, value())}`),
    refuse(why) {
      fill(error, why);
      input.setAttribute("aria-invalid", why ? "true" : "false");
    },
  };
}

/** @param {Field} field */
function inputFor(field, id, describedBy) {
  const shared = { id, "aria-describedby": describedBy };
  if (field.kind === "yes_no") return h("input", { ...shared, type: "checkbox", checked: field.value.toLowerCase() === "true" });
  if (field.kind === "whole") return h("input", { ...shared, type: "number", step: 1, min: field.low, max: field.high, value: field.value });
  return h("input", { ...shared, type: "text", class: "mono", value: field.value, maxLength: 400, autocomplete: "off", spellcheck: false,
    inputMode: field.kind === "number" ? "decimal" : undefined });
}

/** A value as the server reads it: words as they are, other texts in quotes. */
function written(kind, value) {
  if (kind !== "word" || (WORD.test(value) && !NO_WORDS.includes(value.toLowerCase()))) return value;
  return `'${value.replaceAll("'", "")}'`;
}
