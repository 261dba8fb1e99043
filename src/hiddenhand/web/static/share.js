// Copies a link, and says so. Browsers allow it only on secure pages; elsewhere the link is shown to be
// copied by hand.

import { h } from "./dom.js";
import { S } from "./strings.js";
import { notify, showDialog } from "./top.js";

/**
 * @param {string} address the link
 * @returns {Promise<void>}
 */
export async function copyLink(address) {
  try {
    await navigator.clipboard.writeText(address);
    notify(S.share.copied);
  } catch {
    const field = h("input", { type: "text", class: "mono wide", readOnly: true, value: address, "aria-label": S.share.link });
    showDialog(S.share.link, h("p", { class: "soft" }, S.share.byHand), field);
    field.select();
  }
}
