/** The calls in the news of a table, and which of them the player of this browser has not seen. */
import { keep, kept } from "../lib/storage";
import type { DiceChange, GameEvent, NewsItem, Verdict } from "../lib/protocol";

/** A call of the match with its outcome, as the board shows it. `seq`: the entry of the log. */
export interface PastCall {
  seq: number;
  verdict: Verdict;
}

/** The calls of the current match that are in the news, the oldest first. */
export function pastCalls(news: readonly NewsItem[]): PastCall[] {
  const entries = new Map<number, GameEvent[]>();
  for (const { seq, content } of news) {
    if (content.type !== "happened") continue;
    if (content.event.type === "round_started" && content.event.number === 1) entries.clear();
    entries.set(seq, [...(entries.get(seq) ?? []), content.event]);
  }
  return [...entries].flatMap(([seq, events]) => {
    const verdict = verdictOf(events);
    return verdict ? [{ seq, verdict }] : [];
  });
}

/** The outcome of the call with which these events begin, null if they begin with something else. */
function verdictOf(events: readonly GameEvent[]): Verdict | null {
  const [call, reveal] = events;
  if (call?.type !== "challenged" && call?.type !== "exact_called" && call?.type !== "pass_challenged") return null;
  if (reveal?.type !== "revealed") return null;
  const exact = call.type === "exact_called";
  const ofPass = call.type === "pass_challenged";
  const ended = events.find((event) => event.type === "round_ended");
  return {
    opening: call.type === "challenged" && call.opening === true,
    double: call.type === "challenged" && call.double === true,
    redoubled: call.type === "challenged" && call.redoubled === true,
    exact,
    caller: call.seat,
    bidder: ofPass ? call.passer : call.bidder,
    out_of_turn: !ofPass && call.out_of_turn,
    right: ofPass ? reveal.pass_hand === null : exact ? reveal.count === reveal.bid.quantity : !reveal.bid_true,
    reveal,
    losses: events.flatMap((event): DiceChange[] => {
      if (event.type === "dice_lost") return [event];
      return event.type === "lives_lost" ? [{ ...event, dice: event.lives }] : [];
    }),
    gains: events.flatMap((event): DiceChange[] => {
      if (event.type === "dice_gained") return [{ ...event, to: null }];
      return event.type === "lives_gained" ? [{ ...event, dice: event.lives, to: null }] : [];
    }),
    out: events.flatMap((event) => (event.type === "eliminated" ? [event.seat] : [])),
    next_starter: ended?.next_starter ?? null,
    special_seat: ended?.special_seat ?? null,
  };
}

const KEY = "seen";

/** The seq up to which this browser has shown a table, null if it never did. */
export function seenSeq(code: string): number | null {
  const seq = Number(kept(KEY)[code]);
  return Number.isInteger(seq) ? seq : null;
}

/** Keeps that this browser has shown a table up to a seq. */
export function keepSeen(code: string, seq: number): void {
  keep(KEY, code, String(seq));
}
