/** Finds what bots say about the news of a table. */
import { bidPair } from "../lib/gameTypes";
import type { NewsItem, PublicPlayer } from "../lib/protocol";
import type { Comment } from "../seats/tableTalk.svelte";
import { botLine, occasionOf, type PublicMoment } from "./banter";

/** What a bot says about a piece of news. `players`: by seat; `earlier`: the news before it. */
export function commentOn(
  item: NewsItem,
  earlier: readonly NewsItem[],
  code: string,
  players: readonly PublicPlayer[],
): Comment | null {
  if (item.content.type !== "happened") return null;
  const found = occasionOf(momentOf(item.content.event, earlier));
  const player = found ? players[found.seat] : undefined;
  if (!found || !player?.bot || player.gone) return null;
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
