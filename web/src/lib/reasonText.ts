/** Why a move was worth what it was, in the sentences of `core/text/narration.py`. */
import { t } from "./i18n.svelte";
import { bidPair, isSameMove } from "./ruleset";
import { callLabel, capitalize, countWord, faceName, formatBid } from "./formatting";
import { say, type Narrator } from "./narrator";
import type { BidReason, DecisionReason, DecisionReview, MoveReason } from "./protocol";

/** Probabilities that differ by less from 0 or 1 are certain. */
const CERTAIN = 1e-9;

/** By how much the moves must differ in how often somebody loses or gains dice, so that it is told. */
const MIN_LOSS_DIFFERENCE = 0.05;

/** What could be known of the bids, and what the better move changes, if that is clear: up to two sentences. */
export function reasonSentences(reason: DecisionReason, narrator: Narrator): string[] {
  const { rules } = narrator;
  const bolder: string[] = [];
  const clauses = reason.bids.map((part, place) => {
    const bid = formatBid(rules, bidPair(part.bid));
    const stands = formatTimes(part.p_stands);
    if (place > 0) {
      const other = t("reason.other", { bid, times: stands });
      if (reason.less_room && part.p_stands <= (reason.bids[0]?.p_stands ?? 0))
        bolder.push(t("reason.less_room", { bid }));
      return addDoubts("reason.other.challenged", other, part.p_challenged);
    }
    const byOwnDice = part.held >= part.bid.quantity && part.p_stands >= 1 - CERTAIN;
    const facts = describeFacts(reason.seat, part, narrator);
    let text = byOwnDice ? t("reason.stands.own", { facts }) : t("reason.stands", { facts, times: stands });
    if (part.role === "standing" && reason.challenge) {
      const times = formatTimes(1 - part.p_stands);
      text = t("reason.challenge", { text, label: callLabel(rules, "challenge"), times });
    }
    if (part.role === "standing" && reason.exact)
      text = t("reason.exact", { text, label: callLabel(rules, "exact"), times: formatTimes(part.p_exact) });
    return addDoubts("reason.challenged", text, part.p_challenged);
  });
  const outcome = outcomeSentence(reason, narrator);
  const change = outcome === null ? bolder : [outcome];
  return clauses.length > 0 ? [`${clauses.join("; ")}.`, ...change] : change;
}

/**
 * Why the best move of a decision is better than the one that it is compared with, or as good. `nameOf`: returns a move
 * as a noun.
 */
export function whyText(
  reason: DecisionReason,
  { moves, best, compared }: Pick<DecisionReview, "moves" | "best" | "compared">,
  narrator: Narrator,
  nameOf: (move: DecisionReview["best"]) => string,
): string {
  const [top, other] = [moves.find(({ move }) => isSameMove(move, best)), moves[compared ?? -1]];
  if (!top || !other || top === other) return reasonSentences(reason, narrator).join(" ");
  const tied = top.value - other.value <= other.error;
  return whyBest({ reason, tied }, nameOf(best), nameOf(other.move), narrator);
}

/** Why the best move is worth more than another one, or as much. `best`, `other`: their names as nouns. */
export function whyBest(
  { reason, tied }: Pick<MoveReason, "reason" | "tied">,
  best: string,
  other: string,
  narrator: Narrator,
): string {
  const text = reasonSentences(reason, narrator).join(" ");
  return capitalize(t(tied ? "reason.why.tied" : "reason.why", { best, other, text }));
}

/** What the better move changes most directly in the round, if that is clear: who loses dice, or gains some. */
function outcomeSentence({ seat, p_loses, p_gains, rival }: DecisionReason, narrator: Narrator): string | null {
  const lives = narrator.rules?.loss.lives ? "_lives" : "";
  const tell = (change: "loses" | "gains", who: number, [made, best]: readonly [number, number]): string =>
    say(narrator, `reason.${change}${lives}`, who, { made: formatTimes(made), best: formatTimes(best) });
  if (p_loses && p_loses[0] - p_loses[1] >= MIN_LOSS_DIFFERENCE) return tell("loses", seat, p_loses);
  if (p_gains && p_gains[1] - p_gains[0] >= MIN_LOSS_DIFFERENCE) return tell("gains", seat, p_gains);
  if (rival && rival.p_loses[1] - rival.p_loses[0] >= MIN_LOSS_DIFFERENCE)
    return tell("loses", rival.seat, rival.p_loses);
  return null;
}

/** A sentence about a bid with how often it is doubted, if that is known. */
function addDoubts(key: "reason.challenged" | "reason.other.challenged", text: string, p: number | null): string {
  if (p === null) return text;
  return t(key, { text, times: formatTimes(p) });
}

function describeFacts(seat: number, { held: count, bid, reading }: BidReason, narrator: Narrator): string {
  const { rules } = narrator;
  const values = { count, n: capitalize(countWord(count)), bid: formatBid(rules, bidPair(bid)) };
  const held = say(narrator, count > 0 ? "reason.held" : "reason.held.none", seat, values);
  if (!reading) return held;
  const { usual } = reading;
  const key = reading.opened
    ? usual > 0
      ? "reason.opened"
      : "reason.opened.none"
    : usual > 0
      ? "reason.said"
      : "reason.said.none";
  const told = say(narrator, key, reading.seat, {
    count: usual,
    faces: faceName(rules, reading.face),
    n: countWord(usual),
  });
  return t("reason.and", { held, reading: told });
}

/** A probability as how often in 100. */
function formatTimes(p: number): string {
  if (p < 0.01) return t(p <= CERTAIN ? "reason.times.never" : "reason.times.rarely");
  if (p > 0.99) return t(p >= 1 - CERTAIN ? "reason.times.always" : "reason.times.mostly");
  const n = Math.round(100 * p);
  return t("reason.times", { count: n, n: String(n) });
}
