/** What is stamped on a bid when it is counted: whether it is true, or, after an exact call, whether it is exact. */
import type { Verdict } from "../lib/ruleset";

type Stamp = "true" | "liar" | "exact" | "not_exact";

/** The stamp of a verdict. */
export function stampOf({ exact, reveal }: Verdict): Stamp {
  if (reveal.pass_hand !== undefined) return reveal.pass_hand === null ? "liar" : "true";
  if (exact) return reveal.count === reveal.bid.quantity ? "exact" : "not_exact";
  return reveal.bid_true ? "true" : "liar";
}
