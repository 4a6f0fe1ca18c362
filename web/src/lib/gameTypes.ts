/**
 * Names for parts of protocol types that the schema leaves unnamed.
 *
 * They are in a file of their own because `protocol.ts` is generated.
 */
import type { PublicMatch, TableSetup, Happened } from "./protocol";

/** A bid as [quantity, face]. */
export type BidPair = [number, number];
export type Ruleset = TableSetup["config"]["ruleset"];
export type Labels = Ruleset["labels"];
/** The result of a call: the revealed hands, and who loses or gains dice. */
export type Verdict = NonNullable<PublicMatch["verdict"]>;
export type GameEvent = Happened["event"];
