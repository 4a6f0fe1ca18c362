/** The player at this browser: name and picture; and random choices. */
import type { Attachment } from "svelte/attachments";
import { on } from "svelte/events";
import { shorten, t } from "./i18n.svelte";
import { loadLocal, saveLocal } from "./storage";

/** The longest name that a player may type, in characters. */
export const MAX_NAME_LENGTH = 24;

/** Lets an input take so many characters at most, as people count them: a joined emoji is one. */
export function maxCharacters(max: number): Attachment<HTMLInputElement> {
  return (input) =>
    on(input, "input", (event) => {
      const kept = shorten(input.value, max);
      if (kept === input.value || (event as InputEvent).isComposing) return;
      input.value = kept;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
}

/** The saved name, "" if there is none. */
export function savedName(): string {
  return loadLocal("name") ?? "";
}

/** A default name for a player who did not type one. */
export function randomName(): string {
  return pickRandom(t("player.names"));
}

/** Saves a typed name and returns it, shortened to `MAX_NAME_LENGTH`. An empty one becomes a random name. */
export function rememberName(typed: string): string {
  const trimmed = shorten(typed.trim().replace(/\s+/g, " "), MAX_NAME_LENGTH);
  const name = trimmed || randomName();
  saveLocal("name", name);
  return name;
}

/** One of several choices, separated by "|". */
export function pickRandom(choices: string): string {
  const list = choices.split("|");
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return list[random % list.length] ?? "";
}

const FACE = "face";
/** How many pictures there are to choose from; their numbers begin with 1. */
export const FACE_COUNT = 24;

class OwnFace {
  /** The number of the picture, 0 for the one that follows from the name. */
  current = $state(readFace());

  /** Takes a picture and remembers it. */
  choose(face: number): void {
    this.current = face;
    saveLocal(FACE, String(face));
  }
}

function readFace(): number {
  const face = Number(loadLocal(FACE) ?? 0);
  return Number.isInteger(face) && face >= 0 && face <= FACE_COUNT ? face : 0;
}

/** The picture of this browser's player, reactive. */
export const ownFace = new OwnFace();
