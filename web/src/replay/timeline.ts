/** A finished match as a story: one step for each thing worth telling, with the table as it is then. */
import { t } from "../lib/i18n.svelte";
import type { Revealed } from "../lib/protocol";
import { narrateEvent } from "../lib/narration";
import type { BidPair } from "../lib/gameTypes";
import type { MatchRecord, RecordedEvent } from "./matchRecord";

/** The table at one snapshot. By seat: `hands` as dealt and left, `bids` of this round. */
export interface TableSnapshot {
  round: number;
  dice: readonly number[];
  hands: readonly (readonly number[])[];
  bids: readonly (BidPair | null)[];
  /** Who bid last, and what. */
  standingBid: { seat: number; bid: BidPair } | null;
  /** Who has just spoken. */
  activeSeat: number | null;
  /** Who has called, and in which words of the table. */
  call: { seat: number; exact: boolean } | null;
  reveal: Revealed | null;
  specialSeat: number | null;
  winners: readonly number[];
}

export interface TimelineStep {
  /** What happened, in a sentence. */
  text: string;
  kind: RecordedEvent["type"];
  snapshot: TableSnapshot;
}

export function buildTimeline({ start, events }: MatchRecord): TimelineStep[] {
  const steps: TimelineStep[] = [];
  let snapshot: TableSnapshot = {
    round: 0,
    dice: start.names.map(() => start.ruleset.dice.per_player),
    hands: start.names.map(() => []),
    bids: start.names.map(() => null),
    standingBid: null,
    activeSeat: null,
    call: null,
    reveal: null,
    specialSeat: null,
    winners: [],
  };
  for (const event of events) {
    snapshot = applyEvent(snapshot, event);
    const text = describeEvent(event, start);
    if (text) steps.push({ text, kind: event.type, snapshot });
  }
  return steps;
}

/** The first step of each round. */
export function roundStarts(steps: readonly TimelineStep[]): { number: number; step: number }[] {
  return steps.flatMap(({ kind, snapshot }, step) =>
    kind === "round_started" ? [{ number: snapshot.round, step }] : [],
  );
}

function describeEvent(event: RecordedEvent, start: MatchRecord["start"]): string | null {
  if (event.type === "dealt") return t("replay.dealt");
  if (event.type !== "penalised") return narrateEvent(event, start.names, start.ruleset);
  const { seat, trigger, dice, immediate } = event;
  return narrateEvent({ type: "penalty_seen", seat, trigger, dice, immediate }, start.names, start.ruleset);
}

function applyEvent(before: TableSnapshot, event: RecordedEvent): TableSnapshot {
  switch (event.type) {
    case "round_started":
      return {
        ...before,
        round: event.number,
        dice: event.dice,
        hands: event.dice.map(() => []),
        bids: event.dice.map(() => null),
        standingBid: null,
        activeSeat: event.starter,
        call: null,
        reveal: null,
        specialSeat: event.special_seat,
      };
    case "dealt":
      return { ...before, hands: event.hands };
    case "direction_set":
      return { ...before, activeSeat: event.seat };
    case "bid_made": {
      const bid: BidPair = [event.bid.quantity, event.bid.face];
      const bids = replaceAt(before.bids, event.seat, bid);
      return { ...before, bids, standingBid: { seat: event.seat, bid }, activeSeat: event.seat };
    }
    case "challenged":
    case "exact_called":
      return { ...before, activeSeat: event.seat, call: { seat: event.seat, exact: event.type === "exact_called" } };
    case "revealed":
      return { ...before, reveal: event };
    case "dice_lost":
    case "dice_gained":
      return { ...before, dice: replaceAt(before.dice, event.seat, event.left), activeSeat: event.seat };
    case "penalised": {
      if (!event.immediate) return { ...before, activeSeat: event.seat };
      const hand = (before.hands[event.seat] ?? []).filter((_, place) => !event.taken.includes(place));
      return {
        ...before,
        activeSeat: event.seat,
        hands: replaceAt(before.hands, event.seat, hand),
        dice: replaceAt(before.dice, event.seat, hand.length),
      };
    }
    case "match_ended":
      return { ...before, activeSeat: null, winners: event.winners };
    case "match_started":
    case "starter_rolled":
    case "starter_found":
    case "eliminated":
    case "round_ended":
      return before;
  }
}

function replaceAt<T>(list: readonly T[], place: number, item: T): T[] {
  return list.map((old, at) => (at === place ? item : old));
}
