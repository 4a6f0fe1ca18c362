/** Verification of a finished match: all dice are derived again from the seeds and compared with the record. */
import { sha256, commitmentOf, isLeftOut, promiseOf, seedFor } from "../lib/seeds";
import type { Fairness, Penalised } from "../lib/protocol";
import type { MatchRecord, SignedText, RecordedEvent } from "./matchRecord";
import { facesAt } from "../lib/ruleset";

const text = new TextEncoder();
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/** What the server publishes when a match begins: the hash of all that is fixed then. */
export function matchPromise({ engine, startLine }: MatchRecord, fairness: Fairness): string {
  const { protocol, code, number, commitment, commitments, key } = fairness;
  return sha256([`liarsdice/${protocol}`, code, number, commitment, key, ...commitments, engine, startLine].join("\n"));
}

/** Whether the server's key signed a record, null if this browser cannot tell. */
async function isSigned({ signature, text: signed }: SignedText, key: string): Promise<boolean | null> {
  let publicKey;
  try {
    publicKey = await crypto.subtle.importKey("raw", fromHex(key), "Ed25519", false, ["verify"]);
  } catch (error) {
    return error instanceof DOMException && error.name === "NotSupportedError" ? null : false;
  }
  return crypto.subtle.verify("Ed25519", publicKey, fromHex(signature), text.encode(signed));
}

function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(digits.match(/[0-9a-f]{2}/g) ?? [], (byte) => parseInt(byte, 16));
}

/** Random numbers that depend only on the seeds of a match and a label. */
class SeededDice {
  readonly #key: CryptoKey;

  private constructor(key: CryptoKey) {
    this.#key = key;
  }

  /** Derives the key of a match from its seeds and its promise. */
  static async create({ protocol, server_seed, seeds }: Fairness, promise: string): Promise<SeededDice> {
    const message = [`liarsdice/${protocol}`, promise, ...seeds].join("\n");
    const server = await hmacKey(text.encode(server_seed));
    return new SeededDice(await hmacKey(await crypto.subtle.sign("HMAC", server, text.encode(message))));
  }

  /** Draws `count` numbers from 0 to `below` - 1. `below` is at most 256. */
  async draw(label: string, below: number, count: number): Promise<number[]> {
    const numbers: number[] = [];
    const usable = 256 - (256 % below);
    for (let counter = 0; numbers.length < count; counter += 1) {
      const block = await crypto.subtle.sign("HMAC", this.#key, text.encode(`${label}/${counter}`));
      for (const byte of new Uint8Array(block)) if (byte < usable && numbers.length < count) numbers.push(byte % below);
    }
    return numbers;
  }
}

function hmacKey(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"]);
}

/** The version of the derivation that this page knows. */
export const DICE_PROTOCOL = 1;

/** One comparison. `number` counts rounds, rolls and penalties from 1; `dice` is the number of dice compared. */
export interface Check {
  kind:
    | "finished"
    | "signature"
    | "commitment"
    | "seeds"
    | "included"
    | "own"
    | "promise"
    | "start"
    | "starter"
    | "round"
    | "again"
    | "penalty";
  number: number;
  ok: boolean;
  dice: number;
  expected: string;
  actual: string;
}

/** Yields the checks in the order of the match. */
export async function* verifyDice(record: MatchRecord, fairness: Fairness): AsyncGenerator<Check> {
  yield makeCheck("finished", 0, 0, "match_ended", record.events.at(-1)?.type ?? "");
  yield* await checkSignature(record, fairness);
  yield makeCheck("commitment", 0, 0, sha256(fairness.server_seed), fairness.commitment);
  yield* checkSeeds(record, fairness);
  const promise = matchPromise(record, fairness);
  const seen = promiseOf(fairness.code, fairness.number);
  if (seen !== null) yield makeCheck("promise", 0, 0, promise, seen);
  const verifier = new DiceVerifier(record, await SeededDice.create(fairness, promise));
  for (const event of record.events) {
    const check = await verifier.check(event);
    if (check) yield check;
  }
}

/** There is no check of the signature if this browser cannot verify it. */
async function checkSignature({ signed }: MatchRecord, { key }: Fairness): Promise<Check[]> {
  const valid = signed ? await isSigned(signed, key) : false;
  return valid === null ? [] : [makeCheck("signature", 0, 0, "", valid ? "" : "–")];
}

/** Compares the players' seeds with their commitments, and the seed of this browser with what it revealed. */
function* checkSeeds(
  { start }: MatchRecord,
  { code, number, server_seed, seeds, commitments }: Fairness,
): Iterable<Check> {
  const used = [server_seed, ...seeds].filter((seed) => seed !== "");
  const wrong = start.names.filter((_, seat) => {
    const seed = seeds[seat];
    const promised = seed === "" || sha256(seed ?? "") === commitments[seat];
    return !promised || (seed !== "" && used.filter((other) => other === seed).length > 1);
  });
  yield makeCheck("seeds", 0, 0, "", wrong.join(", "));
  const confirmed = commitmentOf(code, number);
  if (confirmed !== null) {
    yield makeCheck("included", 0, 0, confirmed, isLeftOut(code, number, commitments) ? "–" : confirmed);
  }
  for (const [seat, commitment] of commitments.entries()) {
    const own = commitment === "" ? null : seedFor(commitment);
    if (own !== null) yield makeCheck("own", seat + 1, 0, own, seeds[seat] ?? "");
  }
}

/** Replays the events that the dice depend on: dice held by each seat, and the numbers of rolls and penalties. */
class DiceVerifier {
  readonly #rules: MatchRecord["start"]["ruleset"];
  readonly #fullHand: number;
  readonly #rollsAgain: boolean;
  readonly #startDice: number;
  readonly #seats: number;
  readonly #names: readonly string[];
  readonly #hasLives: boolean;
  readonly #penalties: MatchRecord["start"]["ruleset"]["penalties"];
  #rollingSeats: number[];
  #rollCount = 0;
  #penaltyCount = 0;
  #round = 0;
  #bidCount = 0;
  #rerollCount = 0;
  #shownCounts: number[] = [];
  #diceHeld: number[] = [];

  constructor(
    { start }: MatchRecord,
    readonly dice: SeededDice,
  ) {
    this.#rules = start.ruleset;
    this.#fullHand = start.ruleset.dice.per_player;
    this.#rollsAgain = start.ruleset.count.all_different === "rolled_again";
    this.#startDice = start.ruleset.first_starter.dice;
    this.#penalties = start.ruleset.penalties;
    this.#seats = start.names.length;
    this.#names = start.names;
    this.#hasLives = Boolean(start.ruleset.loss.lives);
    this.#rollingSeats = start.names.map((_, seat) => seat);
  }

  /** Checks the dice of an event, null if it has none. */
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
        const [seat = 0] = event.method === "seated_by_roll" ? [] : await this.dice.draw("starter", this.#seats, 1);
        return makeCheck("starter", 1, 1, this.#name(seat), this.#name(event.seat));
      }
      case "round_started":
        this.#round = event.number;
        this.#diceHeld = [...event.dice];
        this.#shownCounts = event.dice.map(() => 0);
        this.#bidCount = 0;
        this.#rerollCount = 0;
        return null;
      case "dealt": {
        const expected = await this.#dealtHands(`round/${this.#round}`);
        return this.#compare("round", this.#round, expected, event.hands);
      }
      case "bid_made":
        this.#bidCount += 1;
        this.#shownCounts[event.seat] = (this.#shownCounts[event.seat] ?? 0) + (event.shown?.length ?? 0);
        return null;
      case "rerolled":
        this.#rerollCount += 1;
        return null;
      case "rolled_again": {
        const { seat, hand } = event;
        const count = (this.#diceHeld[seat] ?? 0) - (this.#shownCounts[seat] ?? 0);
        const what = this.#rerollCount > 0 ? `again/${this.#rerollCount}` : `bid/${this.#bidCount}`;
        const rolled = await this.#hand(`round/${this.#round}/${what}/seat/${seat}`, seat, count);
        return makeCheck("again", this.#round, count, this.#formatHand(seat, rolled), this.#formatHand(seat, hand));
      }
      case "penalised":
        return this.#penalty(event);
      case "dice_lost":
      case "dice_gained":
        this.#diceHeld[event.seat] = event.left;
        return null;
      default: // no dice are made or put away
        return null;
    }
  }

  /** Dice lost at once are drawn one by one from the remaining ones. */
  async #penalty(event: Penalised): Promise<Check | null> {
    const index = this.#penaltyCount;
    this.#penaltyCount += 1;
    if (!event.immediate) return null;
    const remaining = Array.from({ length: this.#diceHeld[event.seat] ?? 0 }, (_, position) => position);
    const price =
      this.#penalties.find((penalty) => penalty.trigger === event.trigger && penalty.offence === event.offence)?.dice ??
      1;
    const count = this.#hasLives ? 0 : Math.min(price, remaining.length);
    const taken: number[] = [];
    for (let drawn = 0; drawn < count; drawn += 1) {
      const [chosen = 0] = await this.dice.draw(`penalty/${index}/${drawn}`, remaining.length, 1);
      taken.push(...remaining.splice(chosen, 1));
    }
    taken.sort((a, b) => a - b);
    return makeCheck("penalty", index + 1, 0, formatPositions(taken), formatPositions(event.taken));
  }

  /** The hands of a round. Those that nobody may keep are rolled again, with labels of their own. */
  async #dealtHands(label: string): Promise<number[][]> {
    const hands = await this.#hands(label, this.#diceHeld);
    return Promise.all(hands.map((hand, seat) => this.#keptHand(`${label}/seat/${seat}`, seat, hand)));
  }

  async #keptHand(label: string, seat: number, first: number[]): Promise<number[]> {
    let hand = first;
    for (let number = 1; this.#mustRollAgain(hand); number += 1)
      hand = await this.#hand(`${label}/again/${number}`, seat, hand.length);
    return hand;
  }

  #mustRollAgain(hand: readonly number[]): boolean {
    const differs = this.#rollsAgain && hand.length === this.#fullHand && new Set(hand).size === hand.length;
    if (!differs) return false;
    const [low, high] = [
      Math.max(...hand) === hand.length,
      Math.min(...hand) === this.#rules.dice.faces - hand.length + 1,
    ];
    switch (this.#rules.count.straights ?? null) {
      case null:
        return true;
      case "low":
        return low;
      case "high":
        return high;
      case "either":
        return low || high;
    }
  }

  async #hands(label: string, counts: readonly number[]): Promise<number[][]> {
    return Promise.all(counts.map((count, seat) => this.#hand(`${label}/seat/${seat}`, seat, count)));
  }

  async #hand(label: string, seat: number, count: number): Promise<number[]> {
    return (await this.dice.draw(label, facesAt(this.#rules, seat), count)).map((side) => side + 1);
  }

  #name(seat: number): string {
    return this.#names[seat] ?? String(seat + 1);
  }

  #perSeat(count: (seat: number) => number): number[] {
    return Array.from({ length: this.#seats }, (_, seat) => count(seat));
  }

  /** Hands as text: "Ann 5 1 3 · Bo 2 2". */
  #formatHands(hands: readonly (readonly number[])[]): string {
    return hands.map((hand, seat) => this.#formatHand(seat, hand)).join(" · ");
  }

  #formatHand(seat: number, hand: readonly number[]): string {
    return `${this.#name(seat)} ${hand.join(" ") || "–"}`;
  }

  #compare(kind: Check["kind"], number: number, expected: number[][], actual: number[][]): Check {
    const dice = expected.reduce((sum, hand) => sum + hand.length, 0);
    return makeCheck(kind, number, dice, this.#formatHands(expected), this.#formatHands(actual));
  }
}

function makeCheck(kind: Check["kind"], number: number, dice: number, expected: string, actual: string): Check {
  return { kind, number, dice, expected, actual, ok: expected === actual };
}

/** Positions in a hand, counted from 1. */
function formatPositions(positions: readonly number[]): string {
  return positions.map((position) => position + 1).join(" ");
}
