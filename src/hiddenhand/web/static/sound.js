// A short click when something happens at the table. Off until a person turns it on.

import { recall, remember } from "./memory.js";

let context = null;

export function isSoundOn() {
  return recall("sound") === "on";
}

/** @param {boolean} on */
export function setSound(on) {
  remember("sound", on ? "on" : "off");
  if (on) click();
}

/** Play the click, if sound is on. @param {boolean} own whether the move is one's own */
export function click(own = false) {
  if (!isSoundOn()) return;
  context ??= new AudioContext();
  const now = context.currentTime;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.setValueAtTime(own ? 520 : 390, now);
  tone.frequency.exponentialRampToValueAtTime(own ? 260 : 190, now + 0.05);
  volume.gain.setValueAtTime(0.12, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.07);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.08);
}
