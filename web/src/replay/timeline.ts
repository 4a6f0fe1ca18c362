/** A finished match as a story: one step for each thing worth telling, with the table as it is then. */
import { t } from "../lib/i18n.svelte";
import type { Revealed } from "../lib/protocol";
import { happened } from "../lib/narration";
import type { BidPair } from "../lib/gameTypes";
import type { MatchRecord, RecordedEvent } from "./matchRecord";

/** The table at one moment. By seat: `hands` as dealt and left, `bids` of this round. */
export interface Moment {
  round: number;
  dice: readonly number[];
  hands: readonly (readonly number[])[];
  bids: readonly (BidPair | null)[];
  /** Who bid last, and what. */
  top: { seat: number; bid: BidPair } | null;
  /** Who has just spoken. */
  active: number | null;
  /** Who has called, and in which words of the table. */
  call: { seat: number; exact: boolean } | null;
  reveal: Revealed | null;
  special: number | null;
  winners: readonly number[];
}

export interface Step {
  /** What happened, in a sentence. */
  text: string;
  kind: RecordedEvent["type"];
  moment: Moment;
}

export function story({ start, events }: MatchRecord): Step[] {
  const steps: Step[] = [];
  let moment: Moment = {
    round: 0,
    dice: start.names.map(() => start.ruleset.dice.per_player),
    hands: start.names.map(() => []),
    bids: start.names.map(() => null),
    top: null,
    active: null,
    call: null,
    reveal: null,
    special: null,
    winners: [],
  };
  for (const event of events) {
    moment = after(moment, event);
    const text = sentence(event, start);
    if (text) steps.push({ text, kind: event.type, moment });
  }
  return steps;
}

/** The first step of each round. */
export function rounds(steps: readonly Step[]): { number: number; step: number }[] {
  return steps.flatMap(({ kind, moment }, step) => (kind === "round_started" ? [{ number: moment.round, step }] : []));
}

function sentence(event: RecordedEvent, start: MatchRecord["start"]): string | null {
  if (event.type === "dealt") return t("replay.dealt");
  if (event.type !== "penalised") return happened(event, start.names, start.ruleset);
  const { seat, trigger, dice, immediate } = event;
  return happened({ type: "penalty_seen", seat, trigger, dice, immediate }, start.names, start.ruleset);
}

function after(before: Moment, event: RecordedEvent): Moment {
  switch (event.type) {
    case "round_started":
      return {
        ...before,
        round: event.number,
        dice: event.dice,
        hands: event.dice.map(() => []),
        bids: event.dice.map(() => null),
        top: null,
        active: event.starter,
        call: null,
        reveal: null,
        special: event.special_seat,
      };
    case "dealt":
      return { ...before, hands: event.hands };
    case "direction_set":
      return { ...before, active: event.seat };
    case "bid_made": {
      const bid: BidPair = [event.bid.quantity, event.bid.face];
      const bids = replaced(before.bids, event.seat, bid);
      return { ...before, bids, top: { seat: event.seat, bid }, active: event.seat };
    }
    case "challenged":
    case "exact_called":
      return { ...before, active: event.seat, call: { seat: event.seat, exact: event.type === "exact_called" } };
    case "revealed":
      return { ...before, reveal: event };
    case "dice_lost":
    case "dice_gained":
      return { ...before, dice: replaced(before.dice, event.seat, event.left), active: event.seat };
    case "penalised": {
      if (!event.immediate) return { ...before, active: event.seat };
      const hand = (before.hands[event.seat] ?? []).filter((_, place) => !event.taken.includes(place));
      return {
        ...before,
        active: event.seat,
        hands: replaced(before.hands, event.seat, hand),
        dice: replaced(before.dice, event.seat, hand.length),
      };
    }
    case "match_ended":
      return { ...before, active: null, winners: event.winners };
    case "match_started":
    case "starter_rolled":
    case "starter_found":
    case "eliminated":
    case "round_ended":
      return before;
  }
}

function replaced<T>(list: readonly T[], place: number, item: T): T[] {
  return list.map((old, at) => (at === place ? item : old));
}
