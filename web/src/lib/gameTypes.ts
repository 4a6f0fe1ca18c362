/** Names for parts of the protocol that have none of their own there. */
import type { MatchSeen, Setting, Happened } from "./protocol";

export type BidPair = [number, number];
export type Ruleset = Setting["options"]["ruleset"];
export type Labels = Ruleset["labels"];
export type Verdict = NonNullable<MatchSeen["verdict"]>;
export type GameEvent = Happened["event"];
