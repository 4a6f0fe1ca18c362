/** The name of the player at this browser, and random values. */
import { t } from "./i18n.svelte";
import { loadLocal, saveLocal } from "./storage";

/** The longest name that the server takes, in characters. */
export const MAX_NAME_LENGTH = 24;

/** The saved name, "" if there is none. */
export function savedName(): string {
  return loadLocal("name") ?? "";
}

/** A default name for a player who did not type one. */
export function randomName(): string {
  return pickRandom(t("player.names"));
}

/** Saves a typed name and returns it, shortened as the server requires. An empty one becomes a random name. */
export function rememberName(typed: string): string {
  const trimmed = shorten(typed.trim().replace(/\s+/g, " "));
  const name = trimmed || randomName();
  saveLocal("name", name);
  return name;
}

function shorten(name: string): string {
  return Array.from(name).slice(0, MAX_NAME_LENGTH).join("").trim();
}

/** One of several choices, separated by "|". */
export function pickRandom(choices: string): string {
  const list = choices.split("|");
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return list[random % list.length] ?? "";
}
