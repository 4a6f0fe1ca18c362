/** The table's log in words: one line for what happened, none for what others say better. */
import { t } from "./i18n.svelte";
import type { News, Notice, PenaltySeen, StarterRolled } from "./protocol";
import type { GameEvent, Ruleset } from "./gameTypes";
import { alone, bidWords, call, diceWords, faceName, listed } from "./formatting";

/** One line of the log: what a player said, or what happened. */
export interface Line {
  key: string;
  player: number | null;
  text: string;
}

export interface Listener {
  rules: Ruleset | undefined;
  /** Names by seat, as they were when this was told. */
  seats: (news: News) => readonly string[];
  /** The name that a player's id has. */
  named: (player: number) => string | undefined;
}

/** All that can be told of the news, oldest first. */
export function lines(news: readonly News[], listener: Listener): Line[] {
  const told: Line[] = [];
  for (const [at, one] of news.entries()) {
    const { what } = one;
    const key = `${one.seq}/${at - news.findIndex((other) => other.seq === one.seq)}`;
    if (what.type === "said") {
      told.push({ key, player: what.player, text: what.text });
      continue;
    }
    const text =
      what.type === "notice" ? noticed(what, listener) : happened(what.event, listener.seats(one), listener.rules);
    if (text) told.push({ key, player: null, text });
  }
  return told;
}

function noticed(notice: Notice, listener: Listener): string | null {
  const who = notice.player === null ? "" : (listener.named(notice.player) ?? t("table.somebody"));
  if (notice.kind === "accused") {
    return t(notice.trigger === "asks_dice_left" ? "table.accused.dice" : "table.accused.turn", { who });
  }
  // what is paid says the event that comes with it
  return notice.kind === "took" ? null : t(`table.notice.${notice.kind}`, { who });
}

/** One event of the match in a sentence; null for what the next event tells. */
export function happened(event: GameEvent, seats: readonly string[], rules: Ruleset | undefined): string | null {
  const name = (seat: number): string => seats[seat] ?? "?";
  switch (event.type) {
    case "match_started":
      return t("table.event.match_started", { who: listed(event.names) });
    case "starter_rolled":
      return rolled(event, seats);
    case "starter_found":
      return t("table.event.starter_found", { who: name(event.seat) });
    case "round_started": {
      const told = t("table.event.round", { number: event.number, who: name(event.starter) });
      return event.special_seat === null ? told : `${call(rules, "special_round")} ${told}`;
    }
    case "direction_set":
      return t(`table.event.${event.direction}`, { who: name(event.seat) });
    case "bid_made":
      return t("table.event.bid", {
        who: name(event.seat),
        bid: bidWords(rules, [event.bid.quantity, event.bid.face]),
      });
    case "challenged":
    case "exact_called": {
      const word = call(rules, event.type === "challenged" ? "challenge" : "exact");
      return t(event.out_of_turn ? "table.event.call.early" : "table.event.call", { who: name(event.seat), word });
    }
    case "revealed":
      return event.count === 0
        ? t("table.event.revealed.none", { face: faceName(rules, event.bid.face) })
        : t("table.event.revealed", { bid: bidWords(rules, [event.count, event.bid.face]) });
    case "dice_lost":
      return t(event.left === 0 ? "table.event.lost.last" : "table.event.lost", {
        who: name(event.seat),
        dice: diceWords(event.dice),
        left: alone(event.left),
      });
    case "dice_gained":
      return t("table.event.gained", { who: name(event.seat), dice: diceWords(event.dice), left: alone(event.left) });
    case "eliminated":
      return t("table.is_out", { who: name(event.seat) });
    case "penalty_seen":
      return penalty(event, name(event.seat));
    case "match_ended":
      return t(event.winners.length > 1 ? "table.event.shared" : "table.event.won", {
        who: listed(event.winners.map(name)),
      });
    case "round_ended":
      return null;
  }
}

function penalty(event: PenaltySeen, who: string): string {
  return t(event.immediate ? "table.event.penalty" : "table.event.penalty.later", { who, dice: diceWords(event.dice) });
}

function rolled(event: StarterRolled, seats: readonly string[]): string {
  const rolls = event.rolls.flatMap((roll, seat) =>
    roll.length > 0 ? [`${seats[seat] ?? "?"} ${roll.join(" + ")}`] : [],
  );
  return t("table.event.rolled", { rolls: listed(rolls) });
}
