/** What the review says about a decision: the move, the bid before it, and what it cost. */
import { i18n, t } from "../lib/i18n.svelte";
import type { MoveRow } from "../components/MoveTable.svelte";
import { capitalize, formatBid, formatProbability } from "../lib/formatting";
import { chanceWords, moveWords } from "../lib/moves";
import { bidPair, isSameMove } from "../lib/ruleset";
import { say, type Narrator } from "../lib/narrator";
import type { Bid, DecisionFacts, DecisionReview, PlayerAction, PlayerReview } from "../lib/protocol";

type Move = PlayerAction | null;

/** A decision in a sentence without a full stop: "You bid four twos". */
export function describeMove(narrator: Narrator, { seat, move }: Pick<DecisionFacts, "seat" | "move">): string {
  const { key, ...values } = moveWords(narrator.rules, move);
  return say(narrator, `review.told.${key}`, seat, values);
}

/** The bid to which a decision answers: "over Di’s three twos". */
export function describeContext(
  narrator: Narrator,
  { bid, bidder, move }: Pick<DecisionFacts, "bid" | "bidder" | "move">,
): string {
  if (!bid || bidder === null) return t("review.open");
  const raises = move?.type === "bid" || move?.type === "bid_and_show";
  return say(narrator, raises ? "review.over" : "review.on", bidder, { bid: formatBid(narrator.rules, bidPair(bid)) });
}

/** A move as a noun: "four twos". */
export function moveName({ rules }: Narrator, move: Move): string {
  const { key, ...values } = moveWords(rules, move);
  return t(`review.move.${key}`, values);
}

/** Points (hundredths of a match) with one decimal: "3.5". */
export function formatPoints(share: number): string {
  return new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(
    Math.abs(100 * share),
  );
}

/** Below this, a cost would read as nothing. */
export const LEAST_COST = 0.0005;

/** What something cost without its sign: "3.5", "<0.1", "0" for nothing. */
export function formatAmount(cost: number): string {
  if (cost <= 0) return "0";
  return cost < LEAST_COST ? `<${formatPoints(2 * LEAST_COST)}` : formatPoints(cost);
}

/** A cost with its sign: "−3.5", "0" for nothing. */
export function formatCost(cost: number): string {
  return cost < LEAST_COST ? formatAmount(cost) : `−${formatPoints(cost)}`;
}

/** An accuracy as a whole number, 100 only where nothing was given away. */
export function formatAccuracy({ accuracy, cost }: Pick<PlayerReview, "accuracy" | "cost">): string {
  return String(cost > 0 ? Math.min(99, Math.round(accuracy)) : Math.round(accuracy));
}

/** What the values of a decision rest on where nothing was drawn for them; null elsewhere. */
export function exactSource({ source }: Pick<DecisionReview, "source">): "solved" | "blueprint" | null {
  return source === "solved" || source === "blueprint" ? source : null;
}

/** What each compared move was worth. */
export function moveRows(narrator: Narrator, { moves, best, move: made }: DecisionReview): MoveRow[] {
  return moves.map(({ move, value, error, p_right }) => ({
    name: capitalize(moveName(narrator, move)),
    value,
    error,
    isBest: isSameMove(move, best),
    own: isSameMove(move, made) ? t("review.made") : "",
    odds: chanceWords(move, p_right),
    figure: formatProbability(value, 1),
    note: error > 0 ? `±${formatPoints(error)}` : "",
  }));
}

/** What is said of a decision that cost nothing. */
export function freeReason({ source }: Pick<DecisionReview, "source">): string {
  return t(source === "forced" ? "review.only_move" : "review.as_good");
}

/** What the values of moves are, and what their lines show. */
export function worthNote({ source }: Pick<DecisionReview, "source">): string {
  if (source === "solved") return t("review.worth.exact");
  return t(source === "blueprint" ? "review.worth.blueprint" : "review.worth.note");
}

/** The other moves of a decision that can be played on: those that were compared and the calls by name, and other bids. */
export function otherMoves(decision: DecisionReview): { named: Move[]; bids: Bid[] } {
  const compared = decision.moves.map(({ move }) => move).filter((move) => !isSameMove(move, decision.move));
  const bids = decision.other_bids.map(([quantity, face]): Bid => ({ type: "bid", quantity, face }));
  const pure = decision.other_moves.filter((move) => move.type === "bid");
  const named = decision.other_moves.filter((move) => move.type !== "bid");
  return { named: [...compared, ...named], bids: [...bids, ...pure] };
}

/** Whether there was another move that can be played on. */
export function hasOtherMoves(decision: DecisionReview): boolean {
  const { named, bids } = otherMoves(decision);
  return named.length + bids.length > 0;
}
