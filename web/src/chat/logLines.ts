/** The log of a table in words: chat messages, notices and events of the match. */
import { t } from "../lib/i18n.svelte";
import type { NewsItem, Notice, PenaltyTrigger } from "../lib/protocol";
import { type Comment, emoteOf, type Emote } from "../voices/tableTalk.svelte";
import { narrateEvent } from "../lib/narration";
import type { Ruleset } from "../lib/ruleset";
import type { Narrator } from "../lib/narrator";

/** One line of the log. `player` is the author of a chat message, null for everything else. */
export interface LogLine {
  key: string;
  player: number | null;
  text: string;
  /** The picture that the line is shown as; `text` is its name then. */
  emote?: Emote | null;
  /** Whether the line says a bid. */
  isBid?: boolean;
  /** The rules at the time of an event, whose words the line has. */
  rules?: Ruleset | undefined;
}

/** What the sentences need to know about the table. */
export interface LogContext {
  /** The rules, the names by seat and the viewer's seat at the time of a piece of news. */
  narratorAt: (news: NewsItem) => Narrator;
  /** The name of a player by id. */
  playerName: (player: number) => string | undefined;
  /** What a bot says about a piece of news. */
  commentOn?: (item: NewsItem) => Comment | null;
}

/** The lines for a list of news, oldest first. News without a sentence is left out. */
export function logLines(news: readonly NewsItem[], context: LogContext): LogLine[] {
  const lines: LogLine[] = [];
  for (const [index, item] of news.entries()) {
    const { seq, content } = item;
    const key = `${seq}/${index - news.findIndex((other) => other.seq === seq)}`;
    if (content.type === "said") {
      const emote = emoteOf(content.text);
      const text = emote === null ? content.text : t(`emote.${emote}`);
      lines.push({ key, player: content.player, text, emote });
      continue;
    }
    const text = describe(item, context);
    const isBid = content.type === "happened" && content.event.type === "bid_made";
    if (text !== null) lines.push({ key, player: null, text, isBid, rules: context.narratorAt(item).rules });
    const comment = context.commentOn?.(item);
    if (comment) lines.push({ key: `${key}/comment`, ...comment });
  }
  return lines;
}

/** Lines of the log, in which bids one after another are one list. */
type Passage = { key: string; line: LogLine } | { key: string; bids: LogLine[] };

/** Folds runs of at least two bids. */
export function foldBids(lines: readonly LogLine[]): Passage[] {
  const passages: Passage[] = [];
  for (const line of lines) {
    const last = passages.at(-1);
    if (!line.isBid || !last || !("bids" in last || last.line.isBid)) passages.push({ key: line.key, line });
    else if ("bids" in last) last.bids.push(line);
    else passages.splice(-1, 1, { key: last.key, bids: [last.line, line] });
  }
  return passages;
}

function describe(item: NewsItem, context: LogContext): string | null {
  const { content } = item;
  if (content.type === "notice") return describeNotice(content, context);
  // the start of the next round says who opens it
  if (content.type === "said" || content.event.type === "round_ended") return null;
  return narrateEvent(content.event, context.narratorAt(item));
}

function describeNotice(notice: Notice, context: LogContext): string | null {
  const name = notice.player === null ? "" : (context.playerName(notice.player) ?? t("table.somebody"));
  if (notice.kind === "accused") {
    return notice.trigger && accusedText(notice.trigger, notice.offence, name);
  }
  // the event that follows says what is paid
  return notice.kind === "took" ? null : t(`table.notice.${notice.kind}`, { name });
}

/** What a player is said to have done that costs a penalty, in the words of the table if they name it. */
export function accusedText(trigger: PenaltyTrigger, offence: string | undefined, name: string): string {
  return offence ? t("offence.told.own", { name, offence }) : t(`offence.told.${trigger}`, { name });
}
