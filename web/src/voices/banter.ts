/**
 * What bots say: about one line in five moves, by temperament.
 *
 * A line is a function of what everybody at the table sees: an event of the match, the bid before it, and the name of the
 * bot. Hidden dice have no part in it, and everybody reads the same line.
 */
import { type BidPair, type GameEvent, type Ruleset, bidPair, sheds } from "../lib/ruleset";
import { t } from "../lib/i18n.svelte";
import type { NewsItem, PublicPlayer } from "../lib/protocol";
import type { Comment } from "./tableTalk.svelte";

/** How bots speak. */
export const TEMPERS = ["plain", "cautious", "bold", "trusting", "suspicious"] as const;
type Temper = (typeof TEMPERS)[number];

/** When they speak: they open a round, raise, raise by much, were right about a call, lose dice, or are out. */
export const OCCASIONS = ["open", "raise", "jump", "right", "lost", "out"] as const;
type Occasion = (typeof OCCASIONS)[number];

/** One occasion in so many leads to a line. */
const ONE_IN = 5;
/** From this raise of the quantity on, a bot raises by much. */
const JUMP = 2;

const TEMPER_OF: Record<string, Temper> = {
  "champion:cautious": "cautious",
  "champion:bold": "bold",
  "champion:trusting": "trusting",
  "champion:suspicious": "suspicious",
  novice: "trusting",
  greedy: "bold",
  random: "bold",
  inference: "suspicious",
  "threshold:0.4": "cautious",
};

/** What everybody knows of an event: itself, and the latest bid before it, with its bidder, of the same round. */
interface PublicMoment {
  event: GameEvent;
  before: { seat: number; bid: BidPair } | null;
  /** The seat that called, if somebody did. */
  caller: number | null;
}

/** The seat that an event gives an occasion to speak, and the occasion. */
export function occasionOf({ event, before, caller }: PublicMoment): { seat: number; occasion: Occasion } | null {
  if (event.type === "bid_made") {
    if (before === null) return { seat: event.seat, occasion: "open" };
    return { seat: event.seat, occasion: event.bid.quantity - before.bid[0] >= JUMP ? "jump" : "raise" };
  }
  if (event.type === "revealed" && event.pass_hand === undefined) {
    const seat = event.bid_true ? before?.seat : caller;
    return seat === null || seat === undefined ? null : { seat, occasion: "right" };
  }
  if ((event.type === "dice_lost" || event.type === "lives_lost") && event.left > 0)
    return { seat: event.seat, occasion: "lost" };
  return event.type === "eliminated" ? { seat: event.seat, occasion: "out" } : null;
}

/** What a bot says on an occasion, null for nothing. `seed`: what the choice follows from, public and new each time. */
export function botLine(bot: string, occasion: Occasion, seed: string): string | null {
  const number = hash(`${seed}/${occasion}`);
  if (number % ONE_IN !== 0) return null;
  const lines = t(`banter.${TEMPER_OF[bot] ?? "plain"}.${occasion}`).split("|");
  return lines[Math.floor(number / ONE_IN) % lines.length] ?? null;
}

/** A number from 0 to 2³² − 1 that follows from a text (FNV-1a, with a final mix). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/**
 * What a bot says about a piece of news. `players`: by seat; `earlier`: the news before it. Nobody complains of dice that
 * are put away, or of being safe.
 */
export function commentOn(
  item: NewsItem,
  earlier: readonly NewsItem[],
  code: string,
  players: readonly PublicPlayer[],
  rules: Ruleset | undefined,
): Comment | null {
  if (item.content.type !== "happened") return null;
  const found = occasionOf(momentOf(item.content.event, earlier));
  const player = found ? players[found.seat] : undefined;
  if (!found || !player?.bot || player.gone) return null;
  if (sheds(rules) && (found.occasion === "lost" || found.occasion === "out")) return null;
  const text = botLine(player.bot, found.occasion, `${code}/${item.seq}/${found.seat}`);
  return text === null ? null : { player: player.id, text };
}

function momentOf(event: PublicMoment["event"], earlier: readonly NewsItem[]): PublicMoment {
  let caller: number | null = null;
  for (const { content } of earlier.toReversed()) {
    if (content.type !== "happened") continue;
    const { event: past } = content;
    if (past.type === "round_started") break;
    if (past.type === "challenged" || past.type === "exact_called") caller ??= past.seat;
    if (past.type === "bid_made") return { event, before: { seat: past.seat, bid: bidPair(past.bid) }, caller };
  }
  return { event, before: null, caller };
}
