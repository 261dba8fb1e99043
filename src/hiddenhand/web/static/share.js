// Copies a link, and says so. A browser that refuses gets the link to be copied by hand.

import { copyText, h } from "./dom.js";
import { SHARE } from "./review_texts.js";
import { notify, showDialog } from "./top.js";

/**
 * @param {string} address the link
 * @returns {Promise<void>}
 */
export async function copyLink(address) {
  if (await copyText(address)) {
    notify(SHARE.copied);
    return;
  }
  const field = h("input", { type: "text", class: "mono wide", readOnly: true, value: address, "aria-label": SHARE.link });
  showDialog(SHARE.link, h("p", { class: "soft" }, SHARE.byHand), field);
  field.select();
}
