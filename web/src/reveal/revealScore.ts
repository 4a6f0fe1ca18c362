/** When each part of a reveal happens, in milliseconds from the call. */

/** `quick`: the later reveals of a table. `play_out`: while bots play out a match faster. */
export type Pace = "normal" | "quick" | "play_out";

export interface Score {
  /** A factor on all durations. */
  factor: number;
  /** When each cup lifts, in the order of lifting. */
  lifts: number[];
  /** When the last die is counted, after which the stamp falls. */
  stampMs: number;
  /** When the lost die falls and the outcome is told. */
  doneMs: number;
}

const FACTOR: Record<Pace, number> = { normal: 1, quick: 0.55, play_out: 0.12 };
/** The word crosses the table and stays, and then nothing moves for a moment. */
const WORD_MS = 1160;
const STEPS_MS = 1300;
const STEP_MS = { min: 120, max: 330 };
/** The pause before the last cup, which lifts slowly. */
const LAST_PAUSE_MS = 380;
const LAST_LIFT_MS = 1300;
const STAMP_MS = 720;
/** The lost die and the sentence. */
export const OUTCOME_MS = 1000;

/** The score of a reveal of a number of cups. It takes less than six seconds, however many there are. */
export function revealScore(cups: number, pace: Pace): Score {
  const factor = FACTOR[pace];
  const step = Math.min(STEP_MS.max, Math.max(STEP_MS.min, STEPS_MS / Math.max(1, cups - 1)));
  const pause = pace === "normal" ? LAST_PAUSE_MS : 0;
  const lifts = Array.from({ length: cups }, (_, cup) => WORD_MS + cup * step + (cup === cups - 1 ? pause : 0));
  const stampMs = (lifts.at(-1) ?? WORD_MS) + LAST_LIFT_MS;
  return {
    factor,
    lifts: lifts.map((ms) => ms * factor),
    stampMs: stampMs * factor,
    doneMs: (stampMs + STAMP_MS) * factor,
  };
}
