/** The picture that the player at this browser chose for themselves, at every table. */
import { loadLocal, saveLocal } from "../lib/storage";

const KEY = "face";
/** How many pictures there are to choose from; their numbers begin with 1. */
export const FACE_COUNT = 24;

class OwnFace {
  /** The number of the picture, 0 for the one that follows from the name. */
  current = $state(read());

  /** Takes a picture and remembers it. */
  choose(face: number): void {
    this.current = face;
    saveLocal(KEY, String(face));
  }
}

function read(): number {
  const face = Number(loadLocal(KEY) ?? 0);
  return Number.isInteger(face) && face >= 0 && face <= FACE_COUNT ? face : 0;
}

/** The picture of this browser's player, reactive. */
export const ownFace = new OwnFace();
