/** The table's log in words: one line for what happened, none for what others say better. */
import { t } from "./i18n.svelte";
import type { News, Notice, PenaltySeen, StarterRolled } from "./protocol";
import type { GameEvent, Ruleset } from "./gameTypes";
import { countWordAlone, formatBid, callLabel, formatDice, faceName, joinList } from "./formatting";

/** One line of the log: what a player said, or what narrateEvent. */
export interface LogLine {
  key: string;
  player: number | null;
  text: string;
}

export interface NarrationContext {
  rules: Ruleset | undefined;
  /** Names by seat, as they were when this was told. */
  seatNames: (news: News) => readonly string[];
  /** The name that a player's id has. */
  playerName: (player: number) => string | undefined;
}

/** All that can be told of the news, oldest first. */
export function logLines(news: readonly News[], context: NarrationContext): LogLine[] {
  const told: LogLine[] = [];
  for (const [at, one] of news.entries()) {
    const { what } = one;
    const key = `${one.seq}/${at - news.findIndex((other) => other.seq === one.seq)}`;
    if (what.type === "said") {
      told.push({ key, player: what.player, text: what.text });
      continue;
    }
    const text =
      what.type === "notice"
        ? narrateNotice(what, context)
        : narrateEvent(what.event, context.seatNames(one), context.rules);
    if (text) told.push({ key, player: null, text });
  }
  return told;
}

function narrateNotice(notice: Notice, context: NarrationContext): string | null {
  const who = notice.player === null ? "" : (context.playerName(notice.player) ?? t("table.somebody"));
  if (notice.kind === "accused") {
    return t(notice.trigger === "asks_dice_left" ? "table.accused.dice" : "table.accused.turn", { who });
  }
  // what is paid says the event that comes with it
  return notice.kind === "took" ? null : t(`table.notice.${notice.kind}`, { who });
}

/** One event of the match in a sentence; null for what the next event tells. */
export function narrateEvent(event: GameEvent, seats: readonly string[], rules: Ruleset | undefined): string | null {
  const name = (seat: number): string => seats[seat] ?? "?";
  switch (event.type) {
    case "match_started":
      return t("table.event.match_started", { who: joinList(event.names) });
    case "starter_rolled":
      return narrateRolls(event, seats);
    case "starter_found":
      return t("table.event.starter_found", { who: name(event.seat) });
    case "round_started": {
      const told = t("table.event.round", { number: event.number, who: name(event.starter) });
      return event.special_seat === null ? told : `${callLabel(rules, "special_round")} ${told}`;
    }
    case "direction_set":
      return t(`table.event.${event.direction}`, { who: name(event.seat) });
    case "bid_made":
      return t("table.event.bid", {
        who: name(event.seat),
        bid: formatBid(rules, [event.bid.quantity, event.bid.face]),
      });
    case "challenged":
    case "exact_called": {
      const word = callLabel(rules, event.type === "challenged" ? "challenge" : "exact");
      return t(event.out_of_turn ? "table.event.call.early" : "table.event.call", { who: name(event.seat), word });
    }
    case "revealed":
      return event.count === 0
        ? t("table.event.revealed.none", { face: faceName(rules, event.bid.face) })
        : t("table.event.revealed", { bid: formatBid(rules, [event.count, event.bid.face]) });
    case "dice_lost":
      return t(event.left === 0 ? "table.event.lost.last" : "table.event.lost", {
        who: name(event.seat),
        dice: formatDice(event.dice),
        left: countWordAlone(event.left),
      });
    case "dice_gained":
      return t("table.event.gained", {
        who: name(event.seat),
        dice: formatDice(event.dice),
        left: countWordAlone(event.left),
      });
    case "eliminated":
      return t("table.is_out", { who: name(event.seat) });
    case "penalty_seen":
      return narratePenalty(event, name(event.seat));
    case "match_ended":
      return t(event.winners.length > 1 ? "table.event.shared" : "table.event.won", {
        who: joinList(event.winners.map(name)),
      });
    case "round_ended":
      return null;
  }
}

function narratePenalty(event: PenaltySeen, who: string): string {
  return t(event.immediate ? "table.event.penalty" : "table.event.penalty.later", {
    who,
    dice: formatDice(event.dice),
  });
}

function narrateRolls(event: StarterRolled, seats: readonly string[]): string {
  const rolls = event.rolls.flatMap((roll, seat) =>
    roll.length > 0 ? [`${seats[seat] ?? "?"} ${roll.join(" + ")}`] : [],
  );
  return t("table.event.rolled", { rolls: joinList(rolls) });
}
