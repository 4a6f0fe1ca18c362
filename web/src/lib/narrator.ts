/** What sentences about a match need: the rules, the players' names, and who reads them. */
import { t, type Key, type Values } from "./i18n.svelte";
import type { Ruleset } from "./ruleset";
import { faceName, isFeminine, joinList } from "./formatting";

/** The players' names by seat. The viewer, null for spectators, reads "you". */
interface Seats {
  names: readonly string[];
  viewerSeat: number | null;
}

export interface Narrator extends Seats {
  rules: Ruleset | undefined;
}

/** The keys of sentences about one player that have a form for the viewer. */
type PlayerKey = { [K in Key]: `${K}.you` extends Key ? K : never }[Key];

/** A sentence about one player, whose name is the placeholder `name`. It addresses the viewer. */
export function say(narrator: Narrator, key: PlayerKey, seat: number, values: Values = {}): string {
  if (seat === narrator.viewerSeat) return t(`${key}.you`, values);
  return t(key, { ...values, name: nameOf(narrator, seat) });
}

/** The name of a player, "you" for the viewer. */
export function nameOf(narrator: Narrator, seat: number): string {
  return seat === narrator.viewerSeat ? t("word.you") : (narrator.names[seat] ?? "?");
}

/** The names of players as a list. The viewer comes last. */
export function joinNames(narrator: Narrator, seats: readonly number[]): string {
  const others = seats.filter((seat) => seat !== narrator.viewerSeat);
  const ordered = others.length < seats.length ? [...others, narrator.viewerSeat ?? 0] : others;
  return joinList(ordered.map((seat) => nameOf(narrator, seat)));
}

/** The special face in the plural, with an article in languages that need one. */
export function specials(rules: Ruleset | undefined): string {
  const faces = faceName(rules, rules?.dice.special_face ?? 1);
  return t(isFeminine(faces) ? "word.specials.feminine" : "word.specials", { faces });
}

/** The factor on the loss of a wrong challenge: out of turn, of the opening bid, for twice the stake, or several. */
export function stakesFactor(
  rules: Ruleset | undefined,
  challenge: { out_of_turn: boolean; opening?: boolean; double?: boolean; redoubled?: boolean },
): number {
  const doubled = (challenge.double ? 2 : 1) * (challenge.redoubled ? 2 : 1);
  const factor = (challenge.out_of_turn ? (rules?.loss.out_of_turn_factor ?? 1) : 1) * doubled;
  return challenge.opening ? factor * (rules?.loss.opening_factor ?? 1) : factor;
}
