/** The log of a table in words: chat messages, notices and events of the match. */
import { t } from "../lib/i18n.svelte";
import type { NewsItem, Notice } from "../lib/protocol";
import { narrateEvent } from "../lib/narration";
import type { Ruleset } from "../lib/gameTypes";
import type { Narrator } from "../lib/narrator";

/** One line of the log. `player` is the author of a chat message, null for everything else. */
export interface LogLine {
  key: string;
  player: number | null;
  text: string;
  /** The rules at the time of an event, whose words the line has. */
  rules?: Ruleset | undefined;
}

/** What the sentences need to know about the table. */
export interface LogContext {
  /** The rules, the names by seat and the viewer's seat at the time of a piece of news. */
  narratorAt: (news: NewsItem) => Narrator;
  /** The name of a player by id. */
  playerName: (player: number) => string | undefined;
}

/** The lines for a list of news, oldest first. News without a sentence is left out. */
export function logLines(news: readonly NewsItem[], context: LogContext): LogLine[] {
  const lines: LogLine[] = [];
  for (const [index, item] of news.entries()) {
    const { seq, content } = item;
    const key = `${seq}/${index - news.findIndex((other) => other.seq === seq)}`;
    if (content.type === "said") lines.push({ key, player: content.player, text: content.text });
    else {
      const text = describe(item, context);
      if (text !== null) lines.push({ key, player: null, text, rules: context.narratorAt(item).rules });
    }
  }
  return lines;
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
    return t(notice.trigger === "asks_dice_left" ? "table.accused.dice" : "table.accused.turn", { name });
  }
  // the event that follows says what is paid
  return notice.kind === "took" ? null : t(`table.notice.${notice.kind}`, { name });
}
