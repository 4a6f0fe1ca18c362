/** Names for parts of protocol types that the schema leaves unnamed. */
import type { MatchSeen, Setting, Happened } from "./protocol";

/** A bid as [quantity, face]. */
export type BidPair = [number, number];
export type Ruleset = Setting["options"]["ruleset"];
export type Labels = Ruleset["labels"];
/** The result of a call: the revealed hands, and who loses or gains dice. */
export type Verdict = NonNullable<MatchSeen["verdict"]>;
export type GameEvent = Happened["event"];
