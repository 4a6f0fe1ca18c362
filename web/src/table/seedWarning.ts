/** Tells players whose seed for the dice the server did not use, although it had confirmed their commitment to it. */
import type { PublicTable } from "../lib/protocol";
import { commitmentOf, isLeftOut, wasRevealed } from "../lib/seeds";

/**
 * `left_out`: the server published other commitments than it had confirmed. `not_asked`: it rolled the dice without
 * asking this page for its seed, as it also does if the page has lost its connection then. `too_late`: the dice were
 * rolled before this page was first connected.
 */
export interface SeedWarning {
  number: number;
  kind: "left_out" | "not_asked" | "too_late";
}

/** What to tell a player, null for nothing. `before`: the same before, undefined in the first update of the page. */
export function seedWarning(
  code: string,
  { stage, match }: PublicTable,
  seat: number | null,
  before: SeedWarning | null | undefined,
): SeedWarning | null {
  if (stage !== "playing" || !match || seat === null || seat >= match.dice.length) return null;
  const { number, seeds } = match;
  if (before?.number === number && before.kind !== "not_asked") return before;
  if (seeds) return isLeftOut(code, number, seeds.commitments) ? { number, kind: "left_out" } : null;
  const unused = commitmentOf(code, number) !== null && !wasRevealed(code, number);
  return unused ? { number, kind: before === undefined ? "too_late" : "not_asked" } : null;
}
