/** The reveal as it is played: cups are lifted one after another, ending with the one whose bid was called. */
import type { Verdict } from "../lib/gameTypes";

const STEP_MS = 420;
const FAST_STEP_MS = 240;
const MAX_DURATION_MS = 3200;
/** After so many reveals everybody knows how it goes. */
const SLOW_REVEALS = 3;

export class RevealAnimation {
  verdict = $state.raw<Verdict | null>(null);
  /** How many of the cups in `order` are up. */
  liftedCount = $state(0);
  liftOrder: number[] = $derived(this.verdict ? liftOrder(this.verdict) : []);
  done = $derived(this.verdict !== null && this.liftedCount >= this.liftOrder.length);
  countedDice = $derived(
    this.liftOrder.slice(0, this.liftedCount).reduce((sum, seat) => sum + (this.verdict?.reveal.counted[seat] ?? 0), 0),
  );
  /** Whether the reader has gone on from the verdict that ended the match. */
  dismissed = $state(false);

  #timer: ReturnType<typeof setInterval> | undefined;
  #shownCount = 0;

  /** Show a verdict, once; `at_once` without the play. */
  start(verdict: Verdict | null, key: string, atOnce: boolean): void {
    if (key === this.#key) return;
    this.#key = key;
    clearInterval(this.#timer);
    this.verdict = verdict;
    this.liftedCount = 0;
    this.dismissed = false;
    if (!verdict) return;
    if (atOnce || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.finish();
      return;
    }
    const step = Math.min(
      this.#shownCount++ < SLOW_REVEALS ? STEP_MS : FAST_STEP_MS,
      MAX_DURATION_MS / this.liftOrder.length,
    );
    this.#timer = setInterval(() => {
      this.liftedCount += 1;
      if (this.liftedCount >= this.liftOrder.length) clearInterval(this.#timer);
    }, step);
  }
  #key = "";

  isLifted(seat: number): boolean {
    return this.liftOrder.indexOf(seat) < this.liftedCount;
  }

  finish(): void {
    clearInterval(this.#timer);
    this.liftedCount = this.liftOrder.length;
  }
}

function liftOrder(verdict: Verdict): number[] {
  const { hands } = verdict.reveal;
  return hands
    .map((_, at) => (verdict.bidder + 1 + at) % hands.length)
    .filter((seat) => (hands[seat]?.length ?? 0) > 0);
}
