/** Numbers about the matches of this browser. */
import type { Moment, KeptMatch } from "./matchSummary";

/** How often a player won. */
interface WinShare {
  matches: number;
  wins: number;
}

/** The wins under the rules with one name. `house`: with changes of the table. */
interface RulesShare extends WinShare {
  game: string;
  house: boolean;
}

/** How often the player finished before another one, and after them. */
interface HeadToHead {
  name: string;
  /** Whether a bot had the seat, or played for a person at the end. */
  bot: boolean;
  /** The id that the latest picture of them depends on. */
  id: number;
  matches: number;
  ahead: number;
  behind: number;
}

/** A moment and the match that it is from. */
export interface KeptMoment {
  moment: Moment;
  match: KeptMatch;
}

/** The matches that count: without hints, and played by the player until they went out or the match ended. */
export function ownResults(matches: readonly KeptMatch[]): KeptMatch[] {
  return matches.filter((match) => !match.standIns.includes(match.seat) && !isTutorial(match));
}

/** The dice of each player in the matches with hints. */
export const TUTORIAL_DICE = 3;

/** Whether a match has the rules of those with hints; `liarsdice coach` finds them in the same way. */
export function isTutorial({ names, ruleset }: Pick<KeptMatch, "names" | "ruleset">): boolean {
  const { dice, first_starter, labels } = ruleset;
  const isBasic = labels.game === "Basic Liar's Dice" && dice.per_player === TUTORIAL_DICE;
  return names.length === 2 && isBasic && first_starter.method === "random";
}

/** All matches and wins, and the calls. */
export function totals(matches: readonly KeptMatch[]): WinShare & { calls: number; rightCalls: number } {
  return {
    matches: matches.length,
    wins: matches.filter(isWon).length,
    calls: sum(matches.map(({ calls }) => calls)),
    rightCalls: sum(matches.map(({ rightCalls }) => rightCalls)),
  };
}

/** Whether the player won or shared the win. */
export function isWon({ places, seat, standIns }: KeptMatch): boolean {
  return places[seat] === 1 && !standIns.includes(seat);
}

/** The win shares by rules, those of most matches first. */
export function byRules(matches: readonly KeptMatch[]): RulesShare[] {
  const shares = new Map<string, RulesShare>();
  for (const match of matches) {
    const [game, house] = [match.ruleset.labels.game, match.rulesName === ""];
    const share = getOrAdd(shares, `${game} ${house}`, () => ({ game, house, matches: 0, wins: 0 }));
    share.matches += 1;
    if (isWon(match)) share.wins += 1;
  }
  return [...shares.values()].sort((a, b) => b.matches - a.matches);
}

/** How the player did against each other name, those of most matches first. Names are compared without case. */
export function headToHead(matches: readonly KeptMatch[]): HeadToHead[] {
  const others = new Map<string, HeadToHead>();
  for (const { names, places, seat, bots, standIns } of matches) {
    const own = places[seat] ?? 0;
    for (const [other, name] of names.entries()) {
      if (other === seat) continue;
      const bot = typeof bots[other] === "string" || standIns.includes(other);
      const entry = getOrAdd(others, `${bot} ${name.toLowerCase()}`, () => ({
        name,
        bot,
        id: other + 1,
        matches: 0,
        ahead: 0,
        behind: 0,
      }));
      entry.matches += 1;
      if (own < (places[other] ?? 0)) entry.ahead += 1;
      if (own > (places[other] ?? 0)) entry.behind += 1;
    }
  }
  return [...others.values()].sort((a, b) => Number(a.bot) - Number(b.bot) || b.matches - a.matches);
}

/** The best moment of each kind. */
export function bestMoments(matches: readonly KeptMatch[]): KeptMoment[] {
  const best = new Map<Moment["kind"], KeptMoment>();
  for (const match of matches) {
    for (const moment of match.moments) {
      if (moment.score > (best.get(moment.kind)?.moment.score ?? 0)) best.set(moment.kind, { moment, match });
    }
  }
  return [...best.values()];
}

function getOrAdd<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
