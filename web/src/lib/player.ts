/** Who sits before this screen: a name that is remembered, and a share in the chance of the dice. */
import { t } from "./i18n.svelte";
import { recalled, remember } from "./storage";

export const LONGEST_NAME = 24;

/** The name used here before, "" where there is none. */
export function knownName(): string {
  return recalled("name") ?? "";
}

/** A name to start with, for somebody who has not given one. */
export function friendlyName(): string {
  return picked(t("player.names"));
}

/** A name as it was typed, in the shape that a table takes, and remembered; one of ours where it is empty. */
export function signedAs(typed: string): string {
  const plain = shortened(typed.trim().replace(/\s+/g, " "));
  const name = plain || friendlyName();
  remember("name", name);
  return name;
}

function shortened(name: string): string {
  return Array.from(name).slice(0, LONGEST_NAME).join("").trim();
}

/** One of several, divided by upright strokes. */
export function picked(choices: string): string {
  const all = choices.split("|");
  const [chance = 0] = crypto.getRandomValues(new Uint32Array(1));
  return all[chance % all.length] ?? "";
}

/** A player's own share in the chance of the dice. */
export function freshSeed(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
