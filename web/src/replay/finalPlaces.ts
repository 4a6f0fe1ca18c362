/** The places of the players of a recorded match, as `liarsdice.play.match_runner` has them. */
import { startingLives } from "../lib/lives";
import type { MatchRecord } from "./matchRecord";

/** The place of each seat: winners, survivors by their dice or lives, then the others by when they went out. */
export function finalPlaces({ start, events }: MatchRecord): number[] {
  let round = 0;
  const stakes = start.names.map(() => startingLives(start.ruleset) ?? start.ruleset.dice.per_player);
  const ranks = start.names.map(() => 0);
  for (const event of events) {
    if (event.type === "round_started") round = event.number;
    else if ("left" in event) {
      stakes[event.seat] = event.left;
      const to = "to" in event ? event.to : null;
      if (to !== null) stakes[to] = (stakes[to] ?? 0) + ("lives" in event ? event.lives : event.dice);
    } else if (event.type === "eliminated") ranks[event.seat] = round - 1e6;
    else if (event.type === "match_ended") {
      for (const [seat, rank] of ranks.entries()) if (rank === 0) ranks[seat] = stakes[seat] ?? 0;
      for (const seat of event.winners) ranks[seat] = 1e6;
    }
  }
  return ranks.map((rank) => 1 + ranks.filter((other) => other > rank).length);
}
