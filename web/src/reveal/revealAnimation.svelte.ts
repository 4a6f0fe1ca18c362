/** The clock of a reveal: the call, the cups one after another with that of the bidder last, the stamp, the outcome. */
import type { Verdict } from "../lib/ruleset";
import type { RevealStage } from "../board/boardState.svelte";

/** `quick`: the later reveals of a table. `play_out`: while bots play out a match faster. */
type Pace = "normal" | "quick" | "play_out";

interface Score {
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

/** The number of reveals that are shown slowly. */
const SLOW_REVEALS = 3;

/** The state of the reveal on the board. */
export class RevealAnimation {
  verdict = $state.raw<Verdict | null>(null);
  /** How many of the cups in `liftOrder` are lifted. */
  liftedCount = $state(0);
  /** Seats with dice, in the order of lifting. */
  liftOrder: number[] = $derived(this.verdict ? liftOrder(this.verdict) : []);
  /** Whether the count is complete and the bid stamped as true or false. */
  stamped = $state(false);
  /** Whether the outcome is told: who was right, and who loses or gains dice. */
  done = $state(false);
  /** Whether nothing moves any more. */
  settled = $state(false);
  /** What the page may tell now. Everything that tells the outcome follows it. */
  stage: RevealStage = $derived(this.verdict === null || this.done ? "told" : this.stamped ? "counted" : "called");
  /** The count of the hands revealed so far. */
  countedDice = $derived(
    this.liftOrder.slice(0, this.liftedCount).reduce((sum, seat) => sum + (this.verdict?.reveal.counted[seat] ?? 0), 0),
  );
  /** Whether the viewer has closed the last reveal of a match. */
  dismissed = $state(false);
  /** The times of the reveal that moves on the board, null if it is shown at once. */
  score = $state.raw<Score | null>(null);

  #timers: ReturnType<typeof setTimeout>[] = [];
  #shownCount = 0;
  #key = "";

  /** Shows a verdict, unless `key` is that of the current one. `instant` skips the animation, `fast` shortens it. */
  start(verdict: Verdict | null, key: string, { instant = false, fast = false } = {}): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#stop();
    this.verdict = verdict && shownVerdict(verdict);
    this.liftedCount = 0;
    this.stamped = false;
    this.done = false;
    this.settled = false;
    this.dismissed = false;
    if (!verdict) return;
    if (instant || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.finish();
      return;
    }
    const pace: Pace = fast ? "play_out" : this.#shownCount++ < SLOW_REVEALS ? "normal" : "quick";
    const score = revealScore(this.liftOrder.length, pace);
    this.score = score;
    for (const [index, ms] of score.lifts.entries()) this.#at(ms, () => (this.liftedCount = index + 1));
    this.#at(score.stampMs, () => (this.stamped = true));
    this.#at(score.doneMs, () => (this.done = true));
    this.#at(score.doneMs + OUTCOME_MS * score.factor, () => (this.settled = true));
  }

  /** Whether the cup of a seat is lifted. */
  isLifted(seat: number): boolean {
    return this.liftOrder.indexOf(seat) < this.liftedCount;
  }

  /** Whether the cup of a seat is the last one, and about to be lifted. */
  isAwaited(seat: number): boolean {
    return (
      this.score !== null && this.liftedCount === this.liftOrder.length - 1 && this.liftOrder[this.liftedCount] === seat
    );
  }

  /** The dice or lives that a seat lost by the call, negative if it gained some. 0 until the end of the animation. */
  lostDice(seat: number): number {
    return this.done ? this.lost(seat) : 0;
  }

  /** What a seat lost by the call and still seems to have, until the end of the animation. */
  untold(seat: number): number {
    return this.done ? 0 : this.lost(seat);
  }

  /** The dice or lives that a seat loses by the call, negative if it gains some, also before the end. */
  lost(seat: number): number {
    let lost = 0;
    for (const { seat: loser, to, dice } of this.verdict?.losses ?? [])
      lost += dice * (Number(loser === seat) - Number(to === seat));
    for (const gain of this.verdict?.gains ?? []) if (gain.seat === seat) lost -= gain.dice;
    return lost;
  }

  /** Skips to the end, without any movement that is left. */
  finish(): void {
    this.#stop();
    this.liftedCount = this.liftOrder.length;
    this.stamped = this.verdict !== null;
    this.done = this.verdict !== null;
    this.settled = this.done;
  }

  #at(ms: number, action: () => void): void {
    this.#timers.push(setTimeout(action, ms));
  }

  #stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    this.score = null;
  }
}

/** A verdict with the marks that the board shows: after a doubted pass, those of the hand that passed alone. */
function shownVerdict(verdict: Verdict): Verdict {
  const { reveal, bidder } = verdict;
  if (reveal.pass_hand === undefined) return verdict;
  const marked = reveal.hands.map((hand, seat) => (seat === bidder ? [...hand.keys()] : []));
  return { ...verdict, reveal: { ...reveal, marked, counted: marked.map((places) => places.length) } };
}

function liftOrder(verdict: Verdict): number[] {
  const { hands } = verdict.reveal;
  return hands
    .map((_, index) => (verdict.bidder + 1 + index) % hands.length)
    .filter((seat) => (hands[seat]?.length ?? 0) > 0);
}

export type Stamp = "true" | "liar" | "exact" | "not_exact";

/** The stamp of a verdict. */
export function stampOf({ exact, reveal }: Verdict): Stamp {
  if (reveal.pass_hand !== undefined) return reveal.pass_hand === null ? "liar" : "true";
  if (exact) return reveal.count === reveal.bid.quantity ? "exact" : "not_exact";
  return reveal.bid_true ? "true" : "liar";
}
