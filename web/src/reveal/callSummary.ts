/** The result of a call in words: who was right, the count, and who loses or gains dice or lives. */
import { t } from "../lib/i18n.svelte";
import type { DiceChange } from "../lib/protocol";
import { bidPair, type Verdict, SUM_FACE, countsTaken, sheds } from "../lib/ruleset";
import { callLabel, capitalize, countWord, formatBid, formatStakes, joinList } from "../lib/formatting";
import { joinNames, nameOf, say, stakesFactor, type Narrator } from "../lib/narrator";

/** Who called on whom: "Tobias doubts Ines". */
export function headline(verdict: Verdict, narrator: Narrator): string {
  const { caller, bidder } = verdict;
  const values = { caller: nameOf(narrator, caller), bidder: nameOf(narrator, bidder) };
  if (verdict.exact) {
    const word = callLabel(narrator.rules, "exact");
    return t(caller === narrator.viewerSeat ? "table.exact.you" : "table.exact", { ...values, word });
  }
  if (verdict.reveal.pass_hand !== undefined) {
    if (caller === narrator.viewerSeat) return t("table.pass.of.you", values);
    return t(bidder === narrator.viewerSeat ? "table.pass.of_you" : "table.pass.of", values);
  }
  if (caller === narrator.viewerSeat) return t("table.doubt.you", values);
  return t(bidder === narrator.viewerSeat ? "table.doubt.of_you" : "table.doubt", values);
}

/** Whether the caller was right, as a sentence. */
export function callerWasRight(verdict: Verdict, narrator: Narrator): string {
  return say(narrator, verdict.right ? "table.right" : "table.wrong", verdict.caller);
}

/**
 * The bid, the count, the dice or lives lost or gained and who is out, as one or more sentences: the same that
 * `core/text/narration.py` says.
 */
export function outcome(verdict: Verdict, narrator: Narrator): string {
  const changes = joinList(diceChanges(verdict, narrator));
  const facts = describeCount(verdict, narrator);
  const sentences = changes
    ? [describeOutcome(verdict, narrator, facts, changes)]
    : [`${facts}.`, noLossReason(verdict, narrator)];
  for (const { seat, dice } of verdict.losses.filter((loss) => loss.cause === "penalty"))
    sentences.push(say(narrator, "call.penalty", seat, { dice: formatStakes(narrator.rules, dice) }));
  const [first, ...others] = verdict.out;
  const key = sheds(narrator.rules) ? "event.safe" : "event.out";
  if (others.length > 0) sentences.push(t(`${key}.many`, { players: joinNames(narrator, verdict.out) }));
  else if (first !== undefined) sentences.push(say(narrator, key, first));
  return sentences.join(" ");
}

function describeOutcome(verdict: Verdict, { rules }: Narrator, facts: string, changes: string): string {
  const factor = verdict.exact || verdict.reveal.pass_hand !== undefined ? 1 : stakesFactor(rules, verdict);
  if (factor < 2) return t("call.so", { facts, changes });
  return t(factor === 2 ? "call.so.double" : "call.so.times", { facts, changes, n: countWord(factor) });
}

/** The bid and the count, without a full stop. */
function describeCount({ reveal, bidder, caller, exact }: Verdict, narrator: Narrator): string {
  if (reveal.pass_hand !== undefined) return say(narrator, `call.passed.${reveal.pass_hand ?? "none"}`, bidder);
  const { quantity } = reveal.bid;
  const claim = say(narrator, "call.bid", bidder, { bid: formatBid(narrator.rules, bidPair(reveal.bid)) });
  const values = { claim, count: reveal.count, n: countWord(reveal.count), quantity: countWord(quantity) };
  if (reveal.count === 0) return t("call.none", values);
  const missesClaim = reveal.claim === true && reveal.count !== quantity;
  if (reveal.bid.face === SUM_FACE) {
    if (exact && reveal.count === quantity) return say(narrator, "call.sum.exact.right", caller, values);
    if (exact || missesClaim) return t("call.sum.exact.wrong", values);
    if (reveal.count === quantity) return t("call.sum.exactly", values);
    return t(reveal.bid_true ? "call.sum.enough" : "call.sum.too_few", values);
  }
  if (exact && reveal.count === quantity) return say(narrator, "call.exact.right", caller, values);
  if (exact || missesClaim) return t("call.exact.wrong", values);
  if (reveal.count === quantity) return t("call.exactly", values);
  return t(reveal.bid_true ? "call.enough" : "call.too_few", values);
}

/** The pot, gains, and losses except penalties. Players with the same loss share a clause. */
function diceChanges({ losses, gains }: Verdict, narrator: Narrator): string[] {
  const taken = countsTaken(narrator.rules);
  const groups = new Map<string, DiceChange[]>();
  for (const loss of losses) {
    if (loss.cause === "penalty" || loss.cause === "ante") continue;
    const key = `${loss.dice}/${loss.to ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), loss]);
  }
  const antes = losses.filter(({ cause }) => cause === "ante");
  return [
    ...antes.slice(0, 1).flatMap(({ to, dice }) => {
      const pot = formatStakes(narrator.rules, dice * (antes.length + 1));
      return to === null ? [] : [say(narrator, "call.pot", to, { dice: pot })];
    }),
    ...gains.map(({ seat, dice }) =>
      say(narrator, taken ? "call.rid" : "call.gain", seat, { dice: formatStakes(narrator.rules, dice) }),
    ),
    ...[...groups.values()].map((group) => describeLoss(group, narrator)),
  ];
}

/** The same loss of one or more players. */
function describeLoss(losses: DiceChange[], narrator: Narrator): string {
  const [first] = losses;
  if (!first) return "";
  const { seat, to } = first;
  const values = { dice: formatStakes(narrator.rules, first.dice), to: to === null ? "" : nameOf(narrator, to) };
  const key = sheds(narrator.rules) ? "call.shed" : countsTaken(narrator.rules) ? "call.take" : "call.lose";
  const toViewer = to !== null && to === narrator.viewerSeat;
  if (losses.length > 1) {
    const players = joinNames(
      narrator,
      losses.map((loss) => loss.seat),
    );
    const many = toViewer ? "call.give.to_you.many" : to !== null ? "call.give.many" : (`${key}.many` as const);
    return t(many, { ...values, players });
  }
  if (toViewer) return t("call.give.to_you", { ...values, name: nameOf(narrator, seat) });
  return say(narrator, to !== null ? "call.give" : key, seat, values);
}

/** Why nothing was lost. A challenge always costs its loser something, unless an immediate penalty took the last. */
function noLossReason({ exact, reveal, caller, bidder }: Verdict, narrator: Narrator): string {
  const exactCall = exact ? narrator.rules?.exact_call : null;
  if (exactCall) {
    if (reveal.count !== reveal.bid.quantity) return t("call.wrong_is_free");
    if (sheds(narrator.rules)) return t("call.nobody_sheds");
    if (exactCall.success_gain > 0)
      return say(narrator, narrator.rules?.loss.lives ? "call.full_lives" : "call.full_set", caller);
    if (exactCall.bidder_loss === 0) return t("call.nobody_loses");
  }
  return say(narrator, "call.bidder_out", bidder);
}

/** How the count came about: "Five fours and two ones". */
export function countBreakdown(verdict: Verdict, narrator: Narrator): string {
  const { counted, count, bid } = verdict.reveal;
  if (bid.face === SUM_FACE) return `${counted.filter((share) => share > 0).join(" + ")} = ${String(count)}`;
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
  const parts = ordered.map(([face, count]) => formatBid(narrator.rules, [count, face]));
  if (bonus > 0)
    parts.push(
      t(narrator.rules?.dice.double ? "table.bonus.double" : "table.bonus", { count: bonus, n: countWord(bonus) }),
    );
  return capitalize(joinList(parts));
}
