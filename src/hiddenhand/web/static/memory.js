// The choices that this browser remembers, such as the theme. Where storage is full or switched off, a
// page remembers them until it is left.

/** @type {Map<string, string>} */
const here = new Map();

/**
 * What was last chosen under a name; null if nothing was.
 * @param {string} name
 * @returns {string | null}
 */
export function recall(name) {
  if (here.has(name)) return here.get(name) ?? null;
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
    here.delete(name);
  } catch {
    here.set(name, value);
  }
}
