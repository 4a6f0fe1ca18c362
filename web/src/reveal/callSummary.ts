/** The verdict on a call in words: who was right, what is here, who loses or gains what. */
import { t } from "../lib/i18n.svelte";
import type { LossSeen } from "../lib/protocol";
import type { BidPair, Ruleset, Verdict } from "../lib/gameTypes";
import { alone, bidWords, call, capital, diceWords, listed, number } from "../lib/formatting";

/** What the sentences need to know about the table. `you` is the reader's seat. */
export interface Telling {
  rules: Ruleset | undefined;
  names: readonly string[];
  you: number | null;
  factor: number;
}

function bidOf(verdict: Verdict): BidPair {
  return [verdict.reveal.bid.quantity, verdict.reveal.bid.face];
}

function name(telling: Telling, seat: number): string {
  return telling.names[seat] ?? "?";
}

/** Who called whom: "Tobias doubts Ines". */
export function headline(verdict: Verdict, telling: Telling): string {
  const { caller, bidder } = verdict;
  const values = { caller: name(telling, caller), bidder: name(telling, bidder) };
  if (verdict.exact) {
    const word = t("word.quoted", { text: call(telling.rules, "exact") });
    return t(caller === telling.you ? "table.exact.you" : "table.exact", { ...values, word });
  }
  if (caller === telling.you) return t("table.doubt.you", values);
  return t(bidder === telling.you ? "table.doubt.of_you" : "table.doubt", values);
}

/** Whether the caller was right, in one short sentence. */
export function rightness(verdict: Verdict, telling: Telling): string {
  const key = verdict.right ? "table.right" : "table.wrong";
  if (verdict.caller === telling.you) return t(`${key}.you`);
  return t(key, { caller: name(telling, verdict.caller) });
}

/** What was bid, what is here, and what that costs whom. */
export function consequence(verdict: Verdict, telling: Telling): string {
  const told = [because(verdict, telling)];
  for (const loss of verdict.losses.filter((one) => one.cause === "penalty")) {
    const values = { who: name(telling, loss.seat), dice: diceWords(loss.dice) };
    told.push(t(loss.seat === telling.you ? "table.penalty.you" : "table.penalty", values));
  }
  if (verdict.out.length > 0) told.push(gone(verdict.out, telling));
  return told.join(" ");
}

function because(verdict: Verdict, telling: Telling): string {
  const facts = counted(verdict, telling);
  const what = listed(moved(verdict, telling)) || t("table.nothing");
  if (!verdict.out_of_turn || verdict.exact || telling.factor < 2) return t("table.so", { facts, what });
  const factor =
    telling.factor === 2 ? t("table.stakes.double") : t("table.stakes.times", { n: alone(telling.factor) });
  return t("table.so.stakes", { facts, what, factor });
}

function counted(verdict: Verdict, telling: Telling): string {
  const bid = bidOf(verdict);
  const { count } = verdict.reveal;
  const claim = capital(t("table.were_bid", { count: bid[0], bid: bidWords(telling.rules, bid) }));
  if (count === 0) return t("table.are_here.none", { claim });
  return t(count === bid[0] ? "table.are_here.exactly" : "table.are_here", { claim, count, n: alone(count) });
}

/** Who lost or got what; those who lost the same in one breath. */
function moved(verdict: Verdict, telling: Telling): string[] {
  const groups = new Map<string, LossSeen[]>();
  for (const loss of verdict.losses) {
    if (loss.cause === "penalty") continue;
    const key = `${loss.dice}/${loss.to ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), loss]);
  }
  return [
    ...verdict.gains.map((gain) => {
      const values = { who: name(telling, gain.seat), dice: diceWords(gain.dice) };
      return t(gain.seat === telling.you ? "table.gain.you" : "table.gain", values);
    }),
    ...[...groups.values()].map((losses) => lost(losses, telling)),
  ];
}

function lost(losses: LossSeen[], telling: Telling): string {
  const [first] = losses;
  if (!first) return "";
  const who = those(
    losses.map((one) => one.seat),
    telling,
  );
  const values = { who, dice: diceWords(first.dice) };
  if (losses.length > 1) return t("table.lose.many", values);
  const mine = first.seat === telling.you;
  if (first.to === null) return t(mine ? "table.lose.you" : "table.lose", values);
  if (first.to === telling.you) return t("table.give.to_you", values);
  return t(mine ? "table.give.you" : "table.give", { ...values, to: name(telling, first.to) });
}

function gone(seats: readonly number[], telling: Telling): string {
  const who = capital(those(seats, telling));
  if (seats.length > 1) return t("table.is_out.many", { who });
  return t(seats[0] === telling.you ? "table.is_out.you" : "table.is_out", { who });
}

function those(seats: readonly number[], telling: Telling): string {
  const others = seats.filter((seat) => seat !== telling.you).map((seat) => name(telling, seat));
  return listed(others.length < seats.length ? [...others, t("word.you")] : others);
}

/** How the count came about: "five fours and two ones", in words. */
export function tally(verdict: Verdict, telling: Telling): string {
  const faces = new Map<number, number>();
  for (const [seat, hand] of verdict.reveal.hands.entries()) {
    for (const place of verdict.reveal.marked[seat] ?? []) {
      const face = hand[place];
      if (face !== undefined) faces.set(face, (faces.get(face) ?? 0) + 1);
    }
  }
  const bid = verdict.reveal.bid.face;
  const ordered = [...faces].sort(([one], [other]) => Number(other === bid) - Number(one === bid));
  const bonus = verdict.reveal.count - ordered.reduce((sum, [, count]) => sum + count, 0);
  const parts = ordered.map(([face, count]) => bidWords(telling.rules, [count, face]));
  if (bonus > 0) parts.push(t("table.bonus", { count: bonus, n: number(bonus) }));
  return capital(listed(parts));
}
