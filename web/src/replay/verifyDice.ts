/** Every die of a finished match, worked out again from its seeds and compared with the record. */
import { Chance, commitmentTo } from "./provableDice";
import type { Fairness, MatchRecord, Penalised, RecordedEvent } from "./matchRecord";

export const PROTOCOL = 1;

/** One thing compared. `number` counts rounds, rolls and penalties from 1. */
export interface Check {
  what: "commitment" | "start" | "starter" | "round" | "penalty";
  number: number;
  ok: boolean;
  dice: number;
  wanted: string;
  found: string;
}

/** What is checked, one after another, in the order of the match. */
export async function* checks(record: MatchRecord, fairness: Fairness): AsyncGenerator<Check> {
  const promised = await commitmentTo(fairness.server_seed);
  yield compared("commitment", 0, 0, promised, fairness.commitment);
  const dealer = new Dealer(record, await Chance.of(fairness));
  for (const event of record.events) {
    const check = await dealer.check(event);
    if (check) yield check;
  }
}

/** Follows a match as far as its dice need it: who holds how many, and what has been rolled before. */
class Dealer {
  readonly #faces: number;
  readonly #startDice: number;
  readonly #seats: number;
  readonly #names: readonly string[];
  readonly #penalties: MatchRecord["start"]["ruleset"]["penalties"];
  #rolling: number[];
  #rolled = 0;
  #penalised = 0;
  #round = 0;
  #held: number[] = [];

  constructor(
    { start }: MatchRecord,
    readonly chance: Chance,
  ) {
    this.#faces = start.ruleset.dice.faces;
    this.#startDice = start.ruleset.first_starter.dice;
    this.#penalties = start.ruleset.penalties;
    this.#seats = start.names.length;
    this.#names = start.names;
    this.#rolling = start.names.map((_, seat) => seat);
  }

  async check(event: RecordedEvent): Promise<Check | null> {
    switch (event.type) {
      case "starter_rolled": {
        const counts = this.#each((seat) => (this.#rolling.includes(seat) ? this.#startDice : 0));
        const wanted = await this.#hands(`start/${this.#rolled}`, counts);
        this.#rolled += 1;
        this.#rolling = event.tied;
        return this.#compare("start", this.#rolled, wanted, event.rolls);
      }
      case "starter_found": {
        if (event.method === "high_roll") return null;
        const [seat = 0] = await this.chance.draws("starter", this.#seats, 1);
        return compared("starter", 1, 1, this.#name(seat), this.#name(event.seat));
      }
      case "round_started":
        this.#round = event.number;
        this.#held = [...event.dice];
        return null;
      case "dealt": {
        const wanted = await this.#hands(`round/${this.#round}`, this.#held);
        return this.#compare("round", this.#round, wanted, event.hands);
      }
      case "penalised":
        return this.#penalty(event);
      case "dice_lost":
      case "dice_gained":
        this.#held[event.seat] = event.left;
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
    const before = this.#penalised;
    this.#penalised += 1;
    if (!event.immediate) return null;
    const left = Array.from({ length: this.#held[event.seat] ?? 0 }, (_, place) => place);
    const price = this.#penalties.find(({ trigger }) => trigger === event.trigger)?.dice ?? 1;
    const count = Math.min(price, left.length);
    const taken: number[] = [];
    for (let drawn = 0; drawn < count; drawn += 1) {
      const [at = 0] = await this.chance.draws(`penalty/${before}/${drawn}`, left.length, 1);
      taken.push(...left.splice(at, 1));
    }
    taken.sort((one, other) => one - other);
    return compared("penalty", before + 1, 0, places(taken), places(event.taken));
  }

  async #hands(what: string, counts: readonly number[]): Promise<number[][]> {
    const hands = counts.map((count, seat) => this.chance.draws(`${what}/seat/${seat}`, this.#faces, count));
    return (await Promise.all(hands)).map((hand) => hand.map((side) => side + 1));
  }

  #name(seat: number): string {
    return this.#names[seat] ?? String(seat + 1);
  }

  #each(count: (seat: number) => number): number[] {
    return Array.from({ length: this.#seats }, (_, seat) => count(seat));
  }

  /** Hands as a line: "Ann 5 1 3 · Bo 2 2". */
  #said(hands: readonly (readonly number[])[]): string {
    return hands.map((hand, seat) => `${this.#name(seat)} ${hand.join(" ") || "–"}`).join(" · ");
  }

  #compare(what: Check["what"], number: number, wanted: number[][], found: number[][]): Check {
    const dice = wanted.reduce((sum, hand) => sum + hand.length, 0);
    return compared(what, number, dice, this.#said(wanted), this.#said(found));
  }
}

function compared(what: Check["what"], number: number, dice: number, wanted: string, found: string): Check {
  return { what, number, dice, wanted, found, ok: wanted === found };
}

/** Places in a hand, counted from 1. */
function places(taken: readonly number[]): string {
  return taken.map((place) => place + 1).join(" ");
}
