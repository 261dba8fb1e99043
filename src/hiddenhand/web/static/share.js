// Copies a link, and says so. A browser that refuses gets the link to be copied by hand.

import { copyText, h } from "./dom.js";
import { S } from "./strings.js";
import { notify, showDialog } from "./top.js";

/**
 * @param {string} address the link
 * @returns {Promise<void>}
 */
export async function copyLink(address) {
  if (await copyText(address)) {
    notify(S.share.copied);
    return;
  }
  const field = h("input", { type: "text", class: "mono wide", readOnly: true, value: address, "aria-label": S.share.link });
  showDialog(S.share.link, h("p", { class: "soft" }, S.share.byHand), field);
  field.select();
}
