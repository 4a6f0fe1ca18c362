/** Warns players whose seed for the dice the server did not use, although it had confirmed their commitment to it. */
import type { PublicTable } from "../lib/protocol";
import { commitmentOf, isLeftOut, wasRevealed } from "../lib/seeds";

/**
 * `left_out`: the server published other commitments than it had confirmed. `not_asked`: it rolled the dice without
 * asking this browser for its seed, as it also does if the browser is not connected then.
 */
export interface SeedWarning {
  number: number;
  kind: "left_out" | "not_asked";
}

/** What to warn a player of, null for nothing. `before`: the warning so far. */
export function seedWarning(
  code: string,
  { stage, match }: PublicTable,
  seat: number | null,
  before: SeedWarning | null,
): SeedWarning | null {
  if (stage !== "playing" || !match || seat === null || seat >= match.dice.length) return null;
  const { number, seeds } = match;
  if (before?.number === number && before.kind === "left_out") return before;
  if (seeds) return isLeftOut(code, number, seeds.commitments) ? { number, kind: "left_out" } : null;
  const unused = commitmentOf(code, number) !== null && !wasRevealed(code, number);
  return unused ? { number, kind: "not_asked" } : null;
}
