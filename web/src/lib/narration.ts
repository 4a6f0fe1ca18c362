/** The log of a table in words: chat messages, notices and events of the match. */
import { t } from "./i18n.svelte";
import type { NewsItem, Notice, PublicPenalty, StarterRolled } from "./protocol";
import type { GameEvent, Ruleset } from "./gameTypes";
import { countWordAlone, formatBid, callLabel, formatDice, faceName, joinList } from "./formatting";

/** One line of the log. `player` is the author of a chat message, null for everything else. */
export interface LogLine {
  key: string;
  player: number | null;
  text: string;
}

/** What the sentences need to know about the table. */
export interface NarrationContext {
  rules: Ruleset | undefined;
  /** The names by seat at the time of a piece of news. */
  seatNames: (news: NewsItem) => readonly string[];
  /** The name of a player by id. */
  playerName: (player: number) => string | undefined;
}

/** The lines for a list of news, oldest first. News without a sentence is left out. */
export function logLines(news: readonly NewsItem[], context: NarrationContext): LogLine[] {
  const lines: LogLine[] = [];
  for (const [index, item] of news.entries()) {
    const { seq, what: content } = item;
    const key = `${seq}/${index - news.findIndex((other) => other.seq === seq)}`;
    if (content.type === "said") {
      lines.push({ key, player: content.player, text: content.text });
      continue;
    }
    const text =
      content.type === "notice"
        ? narrateNotice(content, context)
        : narrateEvent(content.event, context.seatNames(item), context.rules);
    if (text) lines.push({ key, player: null, text });
  }
  return lines;
}

function narrateNotice(notice: Notice, context: NarrationContext): string | null {
  const name = notice.player === null ? "" : (context.playerName(notice.player) ?? t("table.somebody"));
  if (notice.kind === "accused") {
    return t(notice.trigger === "asks_dice_left" ? "table.accused.dice" : "table.accused.turn", { name });
  }
  // the event that follows says what is paid
  return notice.kind === "took" ? null : t(`table.notice.${notice.kind}`, { name });
}

/** One event of the match as a sentence, null if the next event says it. `seats` are the names by seat. */
export function narrateEvent(event: GameEvent, seats: readonly string[], rules: Ruleset | undefined): string | null {
  const nameOf = (seat: number): string => seats[seat] ?? "?";
  switch (event.type) {
    case "match_started":
      return t("table.event.match_started", { name: joinList(event.names) });
    case "starter_rolled":
      return narrateRolls(event, seats);
    case "starter_found":
      return t("table.event.starter_found", { name: nameOf(event.seat) });
    case "round_started": {
      const sentence = t("table.event.round", { number: event.number, name: nameOf(event.starter) });
      return event.special_seat === null ? sentence : `${callLabel(rules, "special_round")} ${sentence}`;
    }
    case "direction_set":
      return t(`table.event.${event.direction}`, { name: nameOf(event.seat) });
    case "bid_made":
      return t("table.event.bid", {
        name: nameOf(event.seat),
        bid: formatBid(rules, [event.bid.quantity, event.bid.face]),
      });
    case "challenged":
    case "exact_called": {
      const word = callLabel(rules, event.type === "challenged" ? "challenge" : "exact");
      return t(event.out_of_turn ? "table.event.call.early" : "table.event.call", { name: nameOf(event.seat), word });
    }
    case "revealed":
      return event.count === 0
        ? t("table.event.revealed.none", { face: faceName(rules, event.bid.face) })
        : t("table.event.revealed", { bid: formatBid(rules, [event.count, event.bid.face]) });
    case "dice_lost":
      return t(event.left === 0 ? "table.event.lost.last" : "table.event.lost", {
        name: nameOf(event.seat),
        dice: formatDice(event.dice),
        left: countWordAlone(event.left),
      });
    case "dice_gained":
      return t("table.event.gained", {
        name: nameOf(event.seat),
        dice: formatDice(event.dice),
        left: countWordAlone(event.left),
      });
    case "eliminated":
      return t("table.is_out", { name: nameOf(event.seat) });
    case "penalty_seen":
      return narratePenalty(event, nameOf(event.seat));
    case "match_ended":
      return t(event.winners.length > 1 ? "table.event.shared" : "table.event.won", {
        name: joinList(event.winners.map(nameOf)),
      });
    case "round_ended":
      return null;
  }
}

function narratePenalty(event: PublicPenalty, name: string): string {
  return t(event.immediate ? "table.event.penalty" : "table.event.penalty.later", {
    name,
    dice: formatDice(event.dice),
  });
}

function narrateRolls(event: StarterRolled, seats: readonly string[]): string {
  const rolls = event.rolls.flatMap((roll, seat) =>
    roll.length > 0 ? [`${seats[seat] ?? "?"} ${roll.join(" + ")}`] : [],
  );
  return t("table.event.rolled", { rolls: joinList(rolls) });
}
