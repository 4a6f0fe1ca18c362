/** The events of a match as sentences, the same ones that `core/text/narration.py` says. */
import { t } from "./i18n.svelte";
import type {
  BidMade,
  DiceGained,
  DiceLost,
  LivesGained,
  LivesLost,
  MatchEnded,
  Revealed,
  RoundStarted,
  StarterRolled,
} from "./protocol";
import { bidPair, type GameEvent, type Ruleset, isFaceOff, SUM_FACE, countsTaken, sheds, shownStakes } from "./ruleset";
import type { RecordedEvent } from "../replay/matchRecord";
import {
  callLabel,
  capitalize,
  countLeft,
  countWord,
  faceName,
  formatBid,
  formatDice,
  formatFaces,
  formatStakes,
  joinList,
} from "./formatting";
import { translateLabel } from "./labels";
import { joinNames, nameOf, say, specials, stakesFactor, type Narrator } from "./narrator";

/** One event of the match in one or two sentences. */
export function narrateEvent(event: GameEvent | RecordedEvent, narrator: Narrator): string {
  const { rules, names } = narrator;
  switch (event.type) {
    case "match_started": {
      const players = joinNames(narrator, [...names.keys()]);
      return t("event.match_started", { players, game: translateLabel(event.ruleset.labels.game) });
    }
    case "starter_rolled":
      return narrateRolls(event, narrator);
    case "starter_found":
      return say(narrator, `event.starter.${event.method}`, event.seat);
    case "round_started":
      return narrateRoundStart(event, narrator);
    case "dealt":
      return t("event.dealt");
    case "direction_set":
      return say(narrator, `event.direction.${event.direction}`, event.seat);
    case "special_declared": {
      const label = callLabel(rules, "special_round");
      return [say(narrator, "event.special_declared", event.seat, { label }), ...specialRules(rules)].join(" ");
    }
    case "rerolled":
      return say(narrator, rules?.count.straights ? "event.rerolled.straight" : "event.rerolled", event.seat);
    case "kind_chosen": {
      const chosen = say(narrator, `event.kind.${event.kind}`, event.seat);
      if (event.kind === "ordinary" || rules?.special_round?.trigger !== "declared") return chosen;
      return [chosen, ...specialRules(rules, false)].join(" ");
    }
    case "bid_made":
      return narrateBid(event, narrator);
    case "rolled_again":
      if (event.seat === narrator.viewerSeat) return t("event.rolled_again.own", { dice: event.hand.join(" ") });
      return say(narrator, "event.rolled_again", event.seat, { dice: formatDice(event.hand.length) });
    case "challenged":
    case "exact_called": {
      const label = callLabel(rules, event.type === "challenged" ? "challenge" : "exact");
      // a call that was answered has been told before its answers
      const answered = event.type === "challenged" && event.double && rules?.challenge.answers;
      const key = event.out_of_turn ? "event.call.early" : "event.call";
      const call = answered ? t("event.cups_lifted") : say(narrator, key, event.seat, { label });
      const factor = event.type === "challenged" ? stakesFactor(rules, event) : 1;
      if (factor < 2) return call;
      return `${call} ${t(factor === 2 ? "event.stakes.double" : "event.stakes.times", { n: countWord(factor) })}`;
    }
    case "exact_claimed": {
      const bid = formatBid(rules, bidPair(event.bid));
      return say(narrator, "event.exact_claimed", event.seat, { bid, label: callLabel(rules, "exact") });
    }
    case "passed":
      return say(narrator, "event.passed", event.seat);
    case "pass_challenged": {
      const passer = nameOf(narrator, event.passer);
      if (event.passer === narrator.viewerSeat)
        return t("event.pass_challenged.yours", { name: nameOf(narrator, event.seat) });
      return say(narrator, "event.pass_challenged", event.seat, { passer });
    }
    case "doubled": {
      const label = callLabel(rules, "challenge");
      return say(narrator, event.out_of_turn ? "event.doubled.early" : "event.doubled", event.seat, { label });
    }
    case "double_answered":
      return say(narrator, `event.answer.${event.answer}`, event.seat);
    case "revealed":
      if (event.pass_hand !== undefined) return t(`event.pass_hand.${event.pass_hand ?? "none"}`);
      return narrateCount(event, narrator);
    case "dice_lost":
    case "lives_lost": {
      const text = narrateLoss(event, narrator);
      return event.cause === "ante" ? t("event.ante", { text }) : text;
    }
    case "dice_gained":
    case "lives_gained":
      return say(narrator, gainKey(rules, event.left), event.seat, {
        dice: formatStakes(rules, amountOf(event)),
        left: countLeft(rules, event.left),
      });
    case "withdrawn":
    case "eliminated":
      return say(narrator, event.type === "withdrawn" ? "event.withdrawn" : outKey(rules), event.seat);
    case "penalised":
    case "penalty_seen":
      return say(narrator, event.immediate ? "event.penalty" : "event.penalty.later", event.seat, {
        dice: formatStakes(rules, event.dice),
        reason: event.offence ? t("event.reason.own", { offence: event.offence }) : t(`event.reason.${event.trigger}`),
      });
    case "round_ended":
      return say(narrator, "event.round_ended", event.next_starter);
    case "match_ended":
      return narrateMatchEnd(event, narrator);
  }
}

function outKey(rules: Ruleset | undefined): "event.out" | "event.safe" {
  return sheds(rules) ? "event.safe" : "event.out";
}

function narrateBid({ seat, bid, shown = [] }: BidMade, narrator: Narrator): string {
  const { rules } = narrator;
  const made = formatBid(rules, bidPair(bid));
  if (shown.length === 0) return say(narrator, "event.bid", seat, { bid: made });
  return say(narrator, "event.bid.shown", seat, { bid: made, dice: formatFaces(rules, shown) });
}

function narrateRolls({ rolls, tied }: StarterRolled, narrator: Narrator): string {
  const rolled = rolls.flatMap((roll, seat) => {
    if (roll.length === 0) return [];
    const sum = roll.length > 1 ? ` = ${roll.reduce((total, die) => total + die, 0)}` : "";
    return [`${nameOf(narrator, seat)} ${roll.join(" + ")}${sum}`];
  });
  const sentence = t("event.starter_rolled", { rolls: joinList(rolled) });
  if (tied.length === 0) return sentence;
  return `${sentence} ${t("event.starter_rolled.again", { players: joinNames(narrator, tied) })}`;
}

function narrateRoundStart({ number, starter, dice, special_seat }: RoundStarted, narrator: Narrator): string {
  const { rules } = narrator;
  const inPlay = formatDice(dice.reduce((total, held) => total + held, 0));
  const values = { number: String(number), dice: inPlay };
  if (special_seat === null) {
    const start = say(narrator, "event.round", starter, values);
    return isFaceOff(rules, dice) ? `${start} ${t("event.face_off")}` : start;
  }
  const label = callLabel(rules, "special_round");
  return [say(narrator, "event.special_round", starter, { ...values, label }), ...specialRules(rules)].join(" ");
}

/** A sentence for each rule that is different in a special round; who looks at which dice is one of them. */
function specialRules(rules: Ruleset | undefined, withVisibility = true): string[] {
  const sentences: string[] = [];
  const visibility = rules?.special_round?.visibility;
  if (visibility && withVisibility) sentences.push(t(`event.visibility.${visibility}`));
  if (rules?.special_round?.face_locked) sentences.push(t("event.face_locked"));
  if (rules?.special_round?.face_locked && rules.special_round.lock_exempt === "had_special")
    sentences.push(t("event.face_locked.exempt"));
  if (rules?.wilds.special_is_wild && rules.wilds.suspended_by.includes("special_round"))
    sentences.push(t("event.wilds_off", { specials: capitalize(specials(rules)) }));
  return sentences;
}

function narrateCount({ bid: { face }, count, wilds_counted }: Revealed, { rules }: Narrator): string {
  if (face === SUM_FACE) return t("event.revealed.sum", { n: countWord(count) });
  const values = { bid: formatBid(rules, [count, face]), faces: faceName(rules, face), specials: specials(rules) };
  if (wilds_counted) return t(count > 0 ? "event.revealed.wild" : "event.revealed.none.wild", values);
  if (rules?.wilds.special_is_wild && face !== rules.dice.special_face)
    return t(count > 0 ? "event.revealed.not_wild" : "event.revealed.none.not_wild", values);
  return t(count > 0 ? "event.revealed" : "event.revealed.none", values);
}

/** How many dice or lives an event is about. */
function amountOf(event: DiceLost | DiceGained | LivesLost | LivesGained): number {
  return "lives" in event ? event.lives : event.dice;
}

function gainKey(rules: Ruleset | undefined, left: number): "event.gained" | "event.rid" | "event.rid.none" {
  if (!countsTaken(rules)) return "event.gained";
  return shownStakes(rules, left) > 0 ? "event.rid" : "event.rid.none";
}

function narrateLoss(event: DiceLost | LivesLost, narrator: Narrator): string {
  const { seat, left, to } = event;
  const { rules } = narrator;
  const values = { dice: formatStakes(rules, amountOf(event)), left: countLeft(rules, left), count: left };
  if (countsTaken(rules)) return say(narrator, "event.taken", seat, values);
  if (sheds(rules)) return say(narrator, left > 0 ? "event.shed" : "event.shed.last", seat, values);
  if (to === null) return say(narrator, left > 0 ? "event.lost" : "event.lost.last", seat, values);
  if (to === narrator.viewerSeat) {
    const key = left > 0 ? "event.given.to_you" : "event.given.to_you.last";
    return t(key, { ...values, name: nameOf(narrator, seat) });
  }
  const receiver = { ...values, to: nameOf(narrator, to) };
  return say(narrator, left > 0 ? "event.given" : "event.given.last", seat, receiver);
}

function narrateMatchEnd({ winners, reason }: MatchEnded, narrator: Narrator): string {
  const [winner = 0] = winners;
  const result =
    winners.length > 1
      ? t("event.shared", { players: joinNames(narrator, winners) })
      : say(narrator, "event.won", winner);
  if (sheds(narrator.rules) && reason !== "max_rounds") return `${result} ${t(`event.${reason}.shed`)}`;
  return reason === "last_player" ? result : `${result} ${t(`event.${reason}`)}`;
}
