/** Every die of a finished match, worked out again from its seeds and compared with the record. */
import { SeededDice, commitmentFor } from "./provableDice";
import type { Fairness, MatchRecord, Penalised, RecordedEvent } from "./matchRecord";

export const DICE_PROTOCOL = 1;

/** One thing compared. `number` counts rounds, rolls and penalties from 1. */
export interface Check {
  kind: "commitment" | "start" | "starter" | "round" | "penalty";
  number: number;
  ok: boolean;
  dice: number;
  expected: string;
  actual: string;
}

/** What is checked, one after another, in the order of the match. */
export async function* verifyDice(record: MatchRecord, fairness: Fairness): AsyncGenerator<Check> {
  const promised = await commitmentFor(fairness.server_seed);
  yield makeCheck("commitment", 0, 0, promised, fairness.commitment);
  const verifier = new DiceVerifier(record, await SeededDice.create(fairness));
  for (const event of record.events) {
    const check = await verifier.check(event);
    if (check) yield check;
  }
}

/** Follows a match as far as its dice need it: who holds how many, and what has been rolled before. */
class DiceVerifier {
  readonly #faces: number;
  readonly #startDice: number;
  readonly #seats: number;
  readonly #names: readonly string[];
  readonly #penalties: MatchRecord["start"]["ruleset"]["penalties"];
  #rollingSeats: number[];
  #rollCount = 0;
  #penaltyCount = 0;
  #round = 0;
  #diceHeld: number[] = [];

  constructor(
    { start }: MatchRecord,
    readonly dice: SeededDice,
  ) {
    this.#faces = start.ruleset.dice.faces;
    this.#startDice = start.ruleset.first_starter.dice;
    this.#penalties = start.ruleset.penalties;
    this.#seats = start.names.length;
    this.#names = start.names;
    this.#rollingSeats = start.names.map((_, seat) => seat);
  }

  async check(event: RecordedEvent): Promise<Check | null> {
    switch (event.type) {
      case "starter_rolled": {
        const counts = this.#perSeat((seat) => (this.#rollingSeats.includes(seat) ? this.#startDice : 0));
        const expected = await this.#hands(`start/${this.#rollCount}`, counts);
        this.#rollCount += 1;
        this.#rollingSeats = event.tied;
        return this.#compare("start", this.#rollCount, expected, event.rolls);
      }
      case "starter_found": {
        if (event.method === "high_roll") return null;
        const [seat = 0] = await this.dice.draw("starter", this.#seats, 1);
        return makeCheck("starter", 1, 1, this.#name(seat), this.#name(event.seat));
      }
      case "round_started":
        this.#round = event.number;
        this.#diceHeld = [...event.dice];
        return null;
      case "dealt": {
        const expected = await this.#hands(`round/${this.#round}`, this.#diceHeld);
        return this.#compare("round", this.#round, expected, event.hands);
      }
      case "penalised":
        return this.#penalty(event);
      case "dice_lost":
      case "dice_gained":
        this.#diceHeld[event.seat] = event.left;
        return null;
      case "match_started":
      case "direction_set":
      case "bid_made":
      case "challenged":
      case "exact_called":
      case "revealed":
      case "eliminated":
      case "round_ended":
      case "match_ended":
        return null;
    }
  }

  /** Dice that go at once are drawn one by one from those that are left. */
  async #penalty(event: Penalised): Promise<Check | null> {
    const before = this.#penaltyCount;
    this.#penaltyCount += 1;
    if (!event.immediate) return null;
    const left = Array.from({ length: this.#diceHeld[event.seat] ?? 0 }, (_, place) => place);
    const price = this.#penalties.find(({ trigger }) => trigger === event.trigger)?.dice ?? 1;
    const count = Math.min(price, left.length);
    const taken: number[] = [];
    for (let drawn = 0; drawn < count; drawn += 1) {
      const [at = 0] = await this.dice.draw(`penalty/${before}/${drawn}`, left.length, 1);
      taken.push(...left.splice(at, 1));
    }
    taken.sort((one, other) => one - other);
    return makeCheck("penalty", before + 1, 0, places(taken), places(event.taken));
  }

  async #hands(what: string, counts: readonly number[]): Promise<number[][]> {
    const hands = counts.map((count, seat) => this.dice.draw(`${what}/seat/${seat}`, this.#faces, count));
    return (await Promise.all(hands)).map((hand) => hand.map((side) => side + 1));
  }

  #name(seat: number): string {
    return this.#names[seat] ?? String(seat + 1);
  }

  #perSeat(count: (seat: number) => number): number[] {
    return Array.from({ length: this.#seats }, (_, seat) => count(seat));
  }

  /** Hands as a line: "Ann 5 1 3 · Bo 2 2". */
  #formatHands(hands: readonly (readonly number[])[]): string {
    return hands.map((hand, seat) => `${this.#name(seat)} ${hand.join(" ") || "–"}`).join(" · ");
  }

  #compare(kind: Check["kind"], number: number, expected: number[][], actual: number[][]): Check {
    const dice = expected.reduce((sum, hand) => sum + hand.length, 0);
    return makeCheck(kind, number, dice, this.#formatHands(expected), this.#formatHands(actual));
  }
}

function makeCheck(kind: Check["kind"], number: number, dice: number, expected: string, actual: string): Check {
  return { kind, number, dice, expected, actual, ok: expected === actual };
}

/** Places in a hand, counted from 1. */
function places(taken: readonly number[]): string {
  return taken.map((place) => place + 1).join(" ");
}
