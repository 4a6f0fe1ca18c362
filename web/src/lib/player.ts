/** Who sits before this screen: a name that is remembered, and a share in the chance of the dice. */
import { t } from "./i18n.svelte";
import { loadLocal, saveLocal } from "./storage";

export const MAX_NAME_LENGTH = 24;

/** The name used here before, "" where there is none. */
export function savedName(): string {
  return loadLocal("name") ?? "";
}

/** A name to start with, for somebody who has not given one. */
export function randomName(): string {
  return pickRandom(t("player.names"));
}

/** A name as it was typed, in the shape that a table takes, and remembered; one of ours where it is empty. */
export function rememberName(typed: string): string {
  const plain = shortened(typed.trim().replace(/\s+/g, " "));
  const name = plain || randomName();
  saveLocal("name", name);
  return name;
}

function shortened(name: string): string {
  return Array.from(name).slice(0, MAX_NAME_LENGTH).join("").trim();
}

/** One of several, divided by upright strokes. */
export function pickRandom(choices: string): string {
  const all = choices.split("|");
  const [chance = 0] = crypto.getRandomValues(new Uint32Array(1));
  return all[chance % all.length] ?? "";
}

/** A player's own share in the chance of the dice. */
export function randomSeed(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
