/** The reveal as it is played: cups are lifted one after another, ending with the one whose bid was called. */
import type { Verdict } from "../lib/gameTypes";

const STEP_MS = 420;
const QUICK_STEP_MS = 240;
const LONGEST_MS = 3200;
/** After so many reveals everybody knows how it goes. */
const NOVEL = 3;

export class Theatre {
  verdict = $state.raw<Verdict | null>(null);
  /** How many of the cups in `order` are up. */
  up = $state(0);
  order: number[] = $derived(this.verdict ? curtain(this.verdict) : []);
  done = $derived(this.verdict !== null && this.up >= this.order.length);
  counted = $derived(
    this.order.slice(0, this.up).reduce((sum, seat) => sum + (this.verdict?.reveal.counted[seat] ?? 0), 0),
  );
  /** Whether the reader has gone on from the verdict that ended the match. */
  left = $state(false);

  #timer: ReturnType<typeof setInterval> | undefined;
  #played = 0;

  /** Show a verdict, once; `at_once` without the play. */
  show(verdict: Verdict | null, key: string, atOnce: boolean): void {
    if (key === this.#key) return;
    this.#key = key;
    clearInterval(this.#timer);
    this.verdict = verdict;
    this.up = 0;
    this.left = false;
    if (!verdict) return;
    if (atOnce || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.finish();
      return;
    }
    const step = Math.min(this.#played++ < NOVEL ? STEP_MS : QUICK_STEP_MS, LONGEST_MS / this.order.length);
    this.#timer = setInterval(() => {
      this.up += 1;
      if (this.up >= this.order.length) clearInterval(this.#timer);
    }, step);
  }
  #key = "";

  lifted(seat: number): boolean {
    return this.order.indexOf(seat) < this.up;
  }

  finish(): void {
    clearInterval(this.#timer);
    this.up = this.order.length;
  }
}

function curtain(verdict: Verdict): number[] {
  const { hands } = verdict.reveal;
  return hands
    .map((_, at) => (verdict.bidder + 1 + at) % hands.length)
    .filter((seat) => (hands[seat]?.length ?? 0) > 0);
}
