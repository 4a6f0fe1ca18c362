/** A recorded match as steps, and their playback. */
import type { Revealed } from "../lib/protocol";
import { joinList } from "../lib/formatting";
import { t } from "../lib/i18n.svelte";
import { startingLives, bidPair, type BidPair } from "../lib/ruleset";
import { narrateEvent } from "../lib/narration";
import { resultNames, type MatchRecord, type RecordedEvent } from "./matchRecord";

/** The table after a step. `dice`, `hands` and `bids` of the round are by seat. */
export interface TableSnapshot {
  round: number;
  dice: readonly number[];
  /** By seat; empty if losses cost dice. */
  lives: readonly number[];
  /** The lives at the last reveal, before anything was lost. */
  livesBefore: readonly number[];
  hands: readonly (readonly number[])[];
  /** The seats that may not look at their own dice in the round. */
  blind: readonly number[];
  /** By seat, how many dice are in the open; they come first in the hands. */
  shownCounts: readonly number[];
  bids: readonly (BidPair | null)[];
  /** The standing bid and its bidder. */
  standingBid: { seat: number; bid: BidPair } | null;
  /** Whether the standing bid is claimed to be exact. */
  claimed: boolean;
  /** The seats that have passed since the standing bid. */
  passers: readonly number[];
  /** The seat that opens the round. */
  starter: number;
  /** The seat that acted last. */
  activeSeat: number | null;
  /** The call that ended the round; `passer`: whose pass was doubted. */
  call: { seat: number; exact: boolean; passer?: number } | null;
  reveal: Revealed | null;
  specialSeat: number | null;
  winners: readonly number[];
}

export interface TimelineStep {
  /** The event as a sentence. */
  text: string;
  kind: RecordedEvent["type"];
  snapshot: TableSnapshot;
}

/** The steps of a match. */
export function buildTimeline(record: MatchRecord): TimelineStep[] {
  const { start, events } = record;
  const narrator = { rules: start.ruleset, viewerSeat: null };
  const steps: TimelineStep[] = [];
  const lives = startingLives(start.ruleset);
  let snapshot: TableSnapshot = {
    round: 0,
    dice: start.names.map(() => start.ruleset.dice.per_player),
    lives: lives === null ? [] : start.names.map(() => lives),
    livesBefore: [],
    hands: start.names.map(() => []),
    blind: [],
    shownCounts: start.names.map(() => 0),
    bids: start.names.map(() => null),
    standingBid: null,
    claimed: false,
    passers: [],
    starter: 0,
    activeSeat: null,
    call: null,
    reveal: null,
    specialSeat: null,
    winners: [],
  };
  for (const event of events) {
    snapshot = applyEvent(snapshot, event);
    // the start of the next round says who opens it
    if (event.type === "round_ended") continue;
    const blind = event.type === "dealt" ? snapshot.blind.map((seat) => start.names[seat] ?? "") : [];
    const names = event.type === "match_ended" ? resultNames(record) : start.names;
    const text = [narrateEvent(event, { ...narrator, names })];
    if (blind.length > 0) text.push(t("replay.blind", { names: joinList(blind), count: blind.length }));
    steps.push({ text: text.join(" "), kind: event.type, snapshot });
  }
  return steps;
}

/** The first step of each round. */
export function roundStarts(steps: readonly TimelineStep[]): { number: number; step: number }[] {
  return steps.flatMap(({ kind, snapshot }, step) =>
    kind === "round_started" ? [{ number: snapshot.round, step }] : [],
  );
}

function applyEvent(before: TableSnapshot, event: RecordedEvent): TableSnapshot {
  switch (event.type) {
    case "round_started":
      return {
        ...before,
        round: event.number,
        dice: event.dice,
        hands: event.dice.map(() => []),
        blind: [],
        shownCounts: event.dice.map(() => 0),
        bids: event.dice.map(() => null),
        standingBid: null,
        claimed: false,
        passers: [],
        starter: event.starter,
        activeSeat: event.starter,
        call: null,
        reveal: null,
        specialSeat: event.special_seat,
      };
    case "dealt":
      return { ...before, hands: event.hands, blind: event.blind ?? [] };
    case "special_declared":
      return { ...before, activeSeat: event.seat, specialSeat: event.seat };
    case "kind_chosen": {
      const special = event.kind === "ordinary" ? null : (before.specialSeat ?? event.seat);
      return { ...before, activeSeat: event.seat, specialSeat: special };
    }
    case "bid_made": {
      const bid = bidPair(event.bid);
      const bids = replaceAt(before.bids, event.seat, bid);
      const standingBid = { seat: event.seat, bid };
      const made = { ...before, bids, standingBid, claimed: false, passers: [], activeSeat: event.seat };
      return event.shown?.length ? withShownDice(made, event.seat, event.shown) : made;
    }
    case "rolled_again": {
      const shown = (before.hands[event.seat] ?? []).slice(0, before.shownCounts[event.seat]);
      return { ...before, hands: replaceAt(before.hands, event.seat, [...shown, ...event.hand]) };
    }
    case "challenged":
    case "exact_called":
      return { ...before, activeSeat: event.seat, call: { seat: event.seat, exact: event.type === "exact_called" } };
    case "exact_claimed": {
      const bid = bidPair(event.bid);
      const bids = replaceAt(before.bids, event.seat, bid);
      const standingBid = { seat: event.seat, bid };
      return { ...before, bids, standingBid, claimed: true, passers: [], activeSeat: event.seat };
    }
    case "rerolled":
      return { ...before, activeSeat: event.seat };
    case "passed":
      return { ...before, activeSeat: event.seat, passers: [...before.passers, event.seat] };
    case "pass_challenged":
      return { ...before, activeSeat: event.seat, call: { seat: event.seat, exact: false, passer: event.passer } };
    case "revealed":
      return { ...before, reveal: event, livesBefore: before.lives };
    case "dice_lost":
    case "dice_gained":
      return { ...before, dice: withChange(before.dice, event, event.dice), activeSeat: event.seat };
    case "lives_lost":
    case "lives_gained":
      return { ...before, lives: withChange(before.lives, event, event.lives), activeSeat: event.seat };
    case "penalised": {
      if (!event.immediate) return { ...before, activeSeat: event.seat };
      const hand = (before.hands[event.seat] ?? []).filter((_, index) => !event.taken.includes(index));
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
    case "round_ended":
      return before;
    case "withdrawn":
    case "eliminated": {
      const hands = before.reveal ? before.hands : replaceAt(before.hands, event.seat, []);
      const lives = before.lives.length > 0 ? replaceAt(before.lives, event.seat, 0) : before.lives;
      return { ...before, hands, lives, dice: replaceAt(before.dice, event.seat, 0) };
    }
    default:
      return { ...before, activeSeat: event.seat };
  }
}

/** The table after a bidder put dice in the open; they come first in the hand. */
function withShownDice(before: TableSnapshot, seat: number, shown: readonly number[]): TableSnapshot {
  const count = before.shownCounts[seat] ?? 0;
  const hand = before.hands[seat] ?? [];
  const hidden = hand.slice(count);
  for (const die of shown) if (hidden.includes(die)) hidden.splice(hidden.indexOf(die), 1);
  return {
    ...before,
    hands: replaceAt(before.hands, seat, [...hand.slice(0, count), ...shown, ...hidden]),
    shownCounts: replaceAt(before.shownCounts, seat, count + shown.length),
  };
}

interface Change {
  seat: number;
  left: number;
  to?: number | null;
}

/** The dice or lives of all seats after one lost or gained some, which another seat may have received. */
function withChange(counts: readonly number[], { seat, left, to = null }: Change, amount: number): number[] {
  const changed = replaceAt(counts, seat, left);
  return to === null ? changed : replaceAt(changed, to, (changed[to] ?? 0) + amount);
}

function replaceAt<T>(list: readonly T[], index: number, item: T): T[] {
  return list.map((old, position) => (position === index ? item : old));
}

const STEP_MS = 1400;
/** Durations of the steps that need more time, by event. */
const SLOW_STEPS_MS = { revealed: 2600, match_ended: 2600, round_started: 1800 } as const;

/** Plays the steps of a timeline. */
export class Playback {
  steps = $state.raw<readonly TimelineStep[]>([]);
  index = $state(0);
  playing = $state(false);

  #timer: ReturnType<typeof setTimeout> | undefined;

  get step(): TimelineStep | undefined {
    return this.steps[this.index];
  }

  get lastIndex(): number {
    return Math.max(0, this.steps.length - 1);
  }

  /** Replaces the steps and seeks. */
  load(steps: readonly TimelineStep[], index = 0): void {
    this.steps = steps;
    this.seek(index);
  }

  /** Shows a step; out of range, the nearest. */
  seek(index: number): void {
    this.index = Math.min(this.lastIndex, Math.max(0, index));
    if (this.playing) this.#scheduleNext();
  }

  /** Pauses and moves by a number of steps. */
  stepBy(offset: number): void {
    this.pause();
    this.seek(this.index + offset);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Starts playing, from the beginning if at the end. */
  play(): void {
    if (this.index >= this.lastIndex) this.index = 0;
    this.playing = true;
    this.#scheduleNext();
  }

  pause(): void {
    this.playing = false;
    clearTimeout(this.#timer);
  }

  #scheduleNext(): void {
    clearTimeout(this.#timer);
    const kind = this.step?.kind ?? "";
    this.#timer = setTimeout(
      () => {
        this.index = Math.min(this.lastIndex, this.index + 1);
        if (this.index >= this.lastIndex) this.playing = false;
        else this.#scheduleNext();
      },
      kind in SLOW_STEPS_MS ? SLOW_STEPS_MS[kind as keyof typeof SLOW_STEPS_MS] : STEP_MS,
    );
  }
}
