/** The clock of a reveal: cups are lifted one after another, that of the bidder last; then the outcome is told. */
import type { Verdict } from "../lib/gameTypes";
import type { RevealStage } from "./toldNews";

const STEP_MS = 420;
const FAST_STEP_MS = 240;
/** While bots play out a match faster. */
const PLAYOUT_STEP_MS = 90;
/** The time between the last cup and the outcome, in which the count is read. */
const COUNT_MS = 700;
const MAX_DURATION_MS = 3200;
/** The number of reveals that are shown slowly. */
const SLOW_REVEALS = 3;

/** The state of the reveal on the board. */
export class RevealAnimation {
  verdict = $state.raw<Verdict | null>(null);
  /** How many of the cups in `liftOrder` are lifted. */
  liftedCount = $state(0);
  /** Seats with dice, in the order of lifting. */
  liftOrder: number[] = $derived(this.verdict ? liftOrder(this.verdict) : []);
  /** Whether the outcome is told: who was right, and who loses or gains dice. */
  done = $state(false);
  /** What the page may tell now. Everything that tells the outcome follows it. */
  stage: RevealStage = $derived(
    this.verdict === null || this.done ? "told" : this.liftedCount >= this.liftOrder.length ? "counted" : "called",
  );
  /** The count of the hands revealed so far. */
  countedDice = $derived(
    this.liftOrder.slice(0, this.liftedCount).reduce((sum, seat) => sum + (this.verdict?.reveal.counted[seat] ?? 0), 0),
  );
  /** Whether the viewer has closed the last reveal of a match. */
  dismissed = $state(false);

  #timer: ReturnType<typeof setInterval> | undefined;
  #shownCount = 0;
  #key = "";

  /** Shows a verdict, unless `key` is that of the current one. `instant` skips the animation, `fast` shortens it. */
  start(verdict: Verdict | null, key: string, { instant = false, fast = false } = {}): void {
    if (key === this.#key) return;
    this.#key = key;
    clearInterval(this.#timer);
    this.verdict = verdict;
    this.liftedCount = 0;
    this.done = false;
    this.dismissed = false;
    if (!verdict) return;
    if (instant || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.finish();
      return;
    }
    const step = Math.min(
      fast ? PLAYOUT_STEP_MS : this.#shownCount++ < SLOW_REVEALS ? STEP_MS : FAST_STEP_MS,
      MAX_DURATION_MS / this.liftOrder.length,
    );
    this.#timer = setInterval(() => {
      this.liftedCount += 1;
      if (this.liftedCount < this.liftOrder.length) return;
      clearInterval(this.#timer);
      this.#timer = setTimeout(
        () => {
          this.finish();
        },
        fast ? PLAYOUT_STEP_MS : COUNT_MS,
      );
    }, step);
  }

  /** Whether the cup of a seat is lifted. */
  isLifted(seat: number): boolean {
    return this.liftOrder.indexOf(seat) < this.liftedCount;
  }

  /** The dice that a seat lost by the call, negative if it gained some. 0 until the end of the animation. */
  lostDice(seat: number): number {
    if (!this.done || !this.verdict) return 0;
    const total = (changes: readonly { seat: number; dice: number }[]): number =>
      changes.reduce((sum, change) => sum + (change.seat === seat ? change.dice : 0), 0);
    return total(this.verdict.losses) - total(this.verdict.gains);
  }

  /** Skips to the end. */
  finish(): void {
    clearInterval(this.#timer);
    this.liftedCount = this.liftOrder.length;
    this.done = this.verdict !== null;
  }
}

function liftOrder(verdict: Verdict): number[] {
  const { hands } = verdict.reveal;
  return hands
    .map((_, index) => (verdict.bidder + 1 + index) % hands.length)
    .filter((seat) => (hands[seat]?.length ?? 0) > 0);
}
