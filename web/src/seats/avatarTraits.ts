/** How players look: the traits of avatars and the colours of seats. */
import type { PublicPlayer } from "../lib/protocol";

const WALLS = ["#7b5a86", "#3f6a83", "#a2583d", "#5d7d4a", "#8a6a2c", "#4a6f6a", "#8c4a5c", "#565f8f"] as const;
const SKINS = ["#f0c8a4", "#e3b48d", "#cf9a6c", "#ad7548", "#87583a", "#6a4430"] as const;
const HAIRS = ["#1d1814", "#3a2118", "#6b3f22", "#a8642c", "#c9a25e", "#8d8780"] as const;
const COATS = ["#e6b45a", "#2d3d33", "#24404a", "#e9e3d6", "#7c2f2a", "#3b3357"] as const;
const CUTS = ["short", "long", "bun", "curls", "bald", "bob", "cap"] as const;
const EXTRAS = ["none", "glasses", "beads", "collar", "none"] as const;
const BOT_SHAPES = ["tankard", "lantern", "barrel", "candle", "kettle"] as const;

/** Colours and shapes of a person. `smile` is the curve of the mouth, -1 to 3. */
interface AvatarTraits {
  wall: string;
  skin: string;
  hair: string;
  coat: string;
  cut: (typeof CUTS)[number];
  extra: (typeof EXTRAS)[number];
  smile: number;
}

/** FNV-1a with a final mix, so that similar names differ in all bits. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (const letter of text) sum = Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  sum = Math.imul(sum ^ (sum >>> 16), 0x45d9f3b);
  return (sum ^ (sum >>> 15)) >>> 0;
}

function pick<T>(choices: readonly [T, ...T[]], index: number): T {
  return choices[index % choices.length] ?? choices[0];
}

/** A player under another name than their own, which says that a bot plays for them. */
export interface Renamed extends PublicPlayer {
  ownName?: string;
}

/** The traits of a person: those of the chosen face, or those that follow from name and id. */
export function avatarTraits({
  id,
  name,
  ownName = name,
  face = 0,
}: Pick<Renamed, "id" | "name" | "ownName" | "face">): AvatarTraits {
  const bits = hash(face > 0 ? `face ${face}` : `${ownName}/${id}`);
  const skin = (bits >>> 3) % SKINS.length;
  return {
    wall: pick(WALLS, (face || id) + (bits % 2) * 3),
    skin: pick(SKINS, skin),
    // fair hair on fair skin only, so that hair and skin stay apart
    hair: pick(HAIRS, (bits >>> 7) % (skin > 2 ? 3 : HAIRS.length)),
    coat: pick(COATS, bits >>> 11),
    cut: pick(CUTS, bits >>> 15),
    extra: pick(EXTRAS, bits >>> 19),
    smile: ((bits >>> 23) % 5) - 1,
  };
}

/** The object that a bot is drawn as. */
export function botShape(id: number): (typeof BOT_SHAPES)[number] {
  return pick(BOT_SHAPES, id);
}

/** The colour of each seat, for words and lines on dark ground. A name always stands beside it. */
const COLORS = [
  "#dcbcec", "#9fd0f2", "#ffb596", "#c3e6a0", "#ffdc8c", "#f5b1cc", "#ccd8de", "#f0ae80", "#a8e2d6", "#e3d3a8",
]; // prettier-ignore

/** The colour of a seat. */
export function seatColor(seat: number): string {
  return COLORS[seat % COLORS.length] ?? "#ffffff";
}
