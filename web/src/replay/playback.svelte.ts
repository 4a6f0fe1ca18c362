/** Where a replay stands, and whether it runs. */
import type { Step } from "./timeline";

const PACE_MS = 1400;
/** Steps that take longer to look at. */
const SLOW = { revealed: 2600, match_ended: 2600, round_started: 1800 } as const;

export class Player {
  steps = $state.raw<readonly Step[]>([]);
  at = $state(0);
  playing = $state(false);

  #timer: ReturnType<typeof setTimeout> | undefined;

  get step(): Step | undefined {
    return this.steps[this.at];
  }

  get last(): number {
    return Math.max(0, this.steps.length - 1);
  }

  load(steps: readonly Step[], at = 0): void {
    this.steps = steps;
    this.jump(at);
  }

  jump(at: number): void {
    this.at = Math.min(this.last, Math.max(0, at));
    if (this.playing) this.#later();
  }

  move(by: number): void {
    this.pause();
    this.jump(this.at + by);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.at >= this.last) this.at = 0;
    this.playing = true;
    this.#later();
  }

  pause(): void {
    this.playing = false;
    clearTimeout(this.#timer);
  }

  #later(): void {
    clearTimeout(this.#timer);
    const kind = this.step?.kind ?? "";
    this.#timer = setTimeout(
      () => {
        this.at = Math.min(this.last, this.at + 1);
        if (this.at >= this.last) this.playing = false;
        else this.#later();
      },
      kind in SLOW ? SLOW[kind as keyof typeof SLOW] : PACE_MS,
    );
  }
}
