/** The position of a replay, and playing it step by step. */
import type { TimelineStep } from "./timeline";

const STEP_MS = 1400;
/** Durations of the steps that need more time, by event. */
const SLOW_STEPS_MS = { revealed: 2600, match_ended: 2600, round_started: 1800 } as const;

/** Plays the steps of a timeline. */
export class Playback {
  steps = $state.raw<readonly TimelineStep[]>([]);
  index = $state(0);
  playing = $state(false);

  #timer: ReturnType<typeof setTimeout> | undefined;

  get step(): TimelineStep | undefined {
    return this.steps[this.index];
  }

  get lastIndex(): number {
    return Math.max(0, this.steps.length - 1);
  }

  /** Replaces the steps and seeks. */
  load(steps: readonly TimelineStep[], index = 0): void {
    this.steps = steps;
    this.seek(index);
  }

  /** Shows a step; out of range, the nearest. */
  seek(index: number): void {
    this.index = Math.min(this.lastIndex, Math.max(0, index));
    if (this.playing) this.#scheduleNext();
  }

  /** Pauses and moves by a number of steps. */
  stepBy(offset: number): void {
    this.pause();
    this.seek(this.index + offset);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Starts playing, from the beginning if at the end. */
  play(): void {
    if (this.index >= this.lastIndex) this.index = 0;
    this.playing = true;
    this.#scheduleNext();
  }

  pause(): void {
    this.playing = false;
    clearTimeout(this.#timer);
  }

  #scheduleNext(): void {
    clearTimeout(this.#timer);
    const kind = this.step?.kind ?? "";
    this.#timer = setTimeout(
      () => {
        this.index = Math.min(this.lastIndex, this.index + 1);
        if (this.index >= this.lastIndex) this.playing = false;
        else this.#scheduleNext();
      },
      kind in SLOW_STEPS_MS ? SLOW_STEPS_MS[kind as keyof typeof SLOW_STEPS_MS] : STEP_MS,
    );
  }
}
