/** The clock of a roll: cups shake, then the dice tumble out. It is theatre only: the dice are dealt before it starts. */

/** The number of rolls that are shown slowly. */
const SLOW_ROLLS = 3;
const QUICK_FACTOR = 0.55;
/** When the dice leave the cup, and when the last one lies still. */
export const THROW_MS = 1130;
export const ROLL_MS = 2900;

/** The state of the roll on the board. */
export class RollClock {
  /** Whether cups shake and dice tumble. */
  rolling = $state(false);
  /** How often the cup has been shaken; a change starts the roll anew. */
  count = $state(0);
  /** A factor on all times. */
  factor = $state(1);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #key = "";
  #shownCount = 0;

  /** Rolls if `key`, which names the round, is a new one. `shown`: whether anybody could see it. */
  follow(key: string, shown: boolean): void {
    if (key === this.#key) return;
    this.#key = key;
    if (!shown) this.finish();
    else this.roll(this.#shownCount++ < SLOW_ROLLS ? 1 : QUICK_FACTOR);
  }

  /** Starts a roll. Without motion it is over at once. */
  roll(factor = QUICK_FACTOR): void {
    this.finish();
    this.count += 1;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.factor = factor;
    this.rolling = true;
    this.#timer = setTimeout(() => (this.rolling = false), ROLL_MS * factor);
  }

  /** Skips to the end. */
  finish(): void {
    clearTimeout(this.#timer);
    this.rolling = false;
  }
}
