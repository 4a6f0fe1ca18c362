/**
 * Names for parts of protocol types that the schema leaves unnamed.
 *
 * They are in a file of their own because `protocol.ts` is generated.
 */
import type { PublicMatch, TableSetup, Happened } from "./protocol";

/** A bid as [quantity, face], with true if it is pure: without wild dice (zhai). */
export type BidPair = [quantity: number, face: number, pure?: boolean];

/** A bid of an event as a pair. */
export function bidPair({ quantity, face, pure }: { quantity: number; face: number; pure?: boolean }): BidPair {
  return pure ? [quantity, face, true] : [quantity, face];
}
export type Ruleset = TableSetup["config"]["ruleset"];
export type Labels = Ruleset["labels"];
/** The result of a call: the revealed hands, and who loses or gains dice. */
export type Verdict = NonNullable<PublicMatch["verdict"]>;
export type GameEvent = Happened["event"];
