/** The result of a call in words: who was right, the count, and who loses or gains dice. */
import { t } from "../lib/i18n.svelte";
import type { DiceChange } from "../lib/protocol";
import type { BidPair, Ruleset, Verdict } from "../lib/gameTypes";
import { countWordAlone, formatBid, callLabel, capitalize, formatDice, joinList, countWord } from "../lib/formatting";

/**
 * What the sentences need to know about the table. `names` are by seat. The viewer, null for spectators, reads "you".
 * `stakesFactor` multiplies the loss of a wrong call out of turn.
 */
export interface SummaryContext {
  rules: Ruleset | undefined;
  names: readonly string[];
  viewerSeat: number | null;
  stakesFactor: number;
}

function bidOf(verdict: Verdict): BidPair {
  return [verdict.reveal.bid.quantity, verdict.reveal.bid.face];
}

function playerName(context: SummaryContext, seat: number): string {
  return context.names[seat] ?? "?";
}

/** Who called on whom: "Tobias doubts Ines". */
export function headline(verdict: Verdict, context: SummaryContext): string {
  const { caller, bidder } = verdict;
  const values = { caller: playerName(context, caller), bidder: playerName(context, bidder) };
  if (verdict.exact) {
    const word = t("word.quoted", { text: callLabel(context.rules, "exact") });
    return t(caller === context.viewerSeat ? "table.exact.you" : "table.exact", { ...values, word });
  }
  if (caller === context.viewerSeat) return t("table.doubt.you", values);
  return t(bidder === context.viewerSeat ? "table.doubt.of_you" : "table.doubt", values);
}

/** Whether the caller was right, as a sentence. */
export function callerWasRight(verdict: Verdict, context: SummaryContext): string {
  const key = verdict.right ? "table.right" : "table.wrong";
  if (verdict.caller === context.viewerSeat) return t(`${key}.you`);
  return t(key, { caller: playerName(context, verdict.caller) });
}

/** The bid, the count and the dice lost or gained, as one or more sentences. */
export function outcome(verdict: Verdict, context: SummaryContext): string {
  const sentences = [describeOutcome(verdict, context)];
  for (const loss of verdict.losses.filter((loss) => loss.cause === "penalty")) {
    const values = { name: playerName(context, loss.seat), dice: formatDice(loss.dice) };
    sentences.push(t(loss.seat === context.viewerSeat ? "table.penalty.you" : "table.penalty", values));
  }
  if (verdict.out.length > 0) sentences.push(describeEliminations(verdict.out, context));
  return sentences.join(" ");
}

function describeOutcome(verdict: Verdict, context: SummaryContext): string {
  const facts = describeCount(verdict, context);
  const changes = joinList(diceChanges(verdict, context)) || t("table.nothing");
  if (!verdict.out_of_turn || verdict.exact || context.stakesFactor < 2) return t("table.so", { facts, changes });
  const factor =
    context.stakesFactor === 2
      ? t("table.stakes.double")
      : t("table.stakes.times", { n: countWordAlone(context.stakesFactor) });
  return t("table.so.stakes", { facts, changes, factor });
}

function describeCount(verdict: Verdict, context: SummaryContext): string {
  const bid = bidOf(verdict);
  const { count } = verdict.reveal;
  const claim = capitalize(t("table.were_bid", { count: bid[0], bid: formatBid(context.rules, bid) }));
  if (count === 0) return t("table.are_here.none", { claim });
  return t(count === bid[0] ? "table.are_here.exactly" : "table.are_here", { claim, count, n: countWordAlone(count) });
}

/** Gains and losses except penalties. Players with the same loss share a clause. */
function diceChanges(verdict: Verdict, context: SummaryContext): string[] {
  const groups = new Map<string, DiceChange[]>();
  for (const loss of verdict.losses) {
    if (loss.cause === "penalty") continue;
    const key = `${loss.dice}/${loss.to ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), loss]);
  }
  return [
    ...verdict.gains.map((gain) => {
      const values = { name: playerName(context, gain.seat), dice: formatDice(gain.dice) };
      return t(gain.seat === context.viewerSeat ? "table.gain.you" : "table.gain", values);
    }),
    ...[...groups.values()].map((losses) => describeLoss(losses, context)),
  ];
}

function describeLoss(losses: DiceChange[], context: SummaryContext): string {
  const [first] = losses;
  if (!first) return "";
  const name = nameSeats(
    losses.map((loss) => loss.seat),
    context,
  );
  const values = { name, dice: formatDice(first.dice) };
  if (losses.length > 1) return t("table.lose.many", values);
  const mine = first.seat === context.viewerSeat;
  if (first.to === null) return t(mine ? "table.lose.you" : "table.lose", values);
  if (first.to === context.viewerSeat) return t("table.give.to_you", values);
  return t(mine ? "table.give.you" : "table.give", { ...values, to: playerName(context, first.to) });
}

function describeEliminations(seats: readonly number[], context: SummaryContext): string {
  const name = capitalize(nameSeats(seats, context));
  if (seats.length > 1) return t("table.is_out.many", { name });
  return t(seats[0] === context.viewerSeat ? "table.is_out.you" : "table.is_out", { name });
}

function nameSeats(seats: readonly number[], context: SummaryContext): string {
  const others = seats.filter((seat) => seat !== context.viewerSeat).map((seat) => playerName(context, seat));
  return joinList(others.length < seats.length ? [...others, t("word.you")] : others);
}

/** How the count came about: "Five fours and two ones". */
export function countBreakdown(verdict: Verdict, context: SummaryContext): string {
  const faces = new Map<number, number>();
  for (const [seat, hand] of verdict.reveal.hands.entries()) {
    for (const index of verdict.reveal.marked[seat] ?? []) {
      const face = hand[index];
      if (face !== undefined) faces.set(face, (faces.get(face) ?? 0) + 1);
    }
  }
  const bidFace = verdict.reveal.bid.face;
  const ordered = [...faces].sort(([a], [b]) => Number(b === bidFace) - Number(a === bidFace));
  const bonus = verdict.reveal.count - ordered.reduce((sum, [, count]) => sum + count, 0);
  const parts = ordered.map(([face, count]) => formatBid(context.rules, [count, face]));
  if (bonus > 0) parts.push(t("table.bonus", { count: bonus, n: countWord(bonus) }));
  return capitalize(joinList(parts));
}
