/** The list of matches: its words, playing with the same people again, and deleting. */
import { i18n, t } from "../lib/i18n.svelte";
import { capitalize, formatBid, formatDice, formatProbability } from "../lib/formatting";
import { translateLabel } from "../lib/labels";
import type { BidPair } from "../lib/ruleset";
import type { KeptMatch } from "./matchSummary";
import type { KeptMoment } from "./statistics";
import { postJson } from "../lib/http";
import { rememberName, savedName } from "../lib/player.svelte";
import type { SeatResponse, TableForm } from "../lib/protocol";
import { keepCommitment, newCommitment } from "../lib/seeds";
import { BASE_OF_ALL_RULES } from "../rules/rulesUrl";
import { TableFormState } from "../setup/tableForm.svelte";
import { inviteAgain } from "../lobby/arrivals";
import type { RecordedMatch } from "./historyFile";
import { deleteMatches, keepMatches } from "./matchStore";

/** The name of rules, which a table may have changed. */
export function rulesTitle(game: string, house: boolean): string {
  const name = translateLabel(game);
  return house ? t("matches.house", { game: name }) : name;
}

/** A part of a whole as a percentage, "–" of nothing. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  return formatProbability(part / whole);
}

/** When a match was played. */
export function matchDate({ playedAt }: KeptMatch): string {
  return new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "short" }).format(playedAt);
}

/** A moment as a headline and a sentence. */
export function momentWords({ moment, match: { ruleset } }: KeptMoment): { title: string; text: string } {
  const bidWords = (bid: BidPair): string => formatBid(ruleset, bid);
  switch (moment.kind) {
    case "bold": {
      const { bid, held } = moment;
      const title = t(held === 0 ? "matches.bold.none" : "matches.bold", { bid: bidWords(bid), count: held });
      return { title: capitalize(title), text: t("matches.bold.text") };
    }
    case "doubt":
      return {
        title: t("matches.doubt", { bid: bidWords(moment.bid) }),
        text: t("matches.doubt.text", { count: moment.count }),
      };
    case "roll":
      return {
        title: capitalize(t("matches.roll", { dice: formatDice(moment.dice.length) })),
        text: t("matches.roll.text"),
      };
    case "comeback":
      return { title: t("matches.comeback"), text: t("matches.comeback.text", { count: moment.rounds }) };
  }
}

/** Opens a table with the rules, the bots and the number of seats of a match. Returns its path. Throws `ApiError`. */
export async function playAgain(match: KeptMatch): Promise<string> {
  const commitment = newCommitment();
  const form: TableForm = {
    ...new TableFormState().toRequest(),
    name: rememberName(savedName() || (match.names[match.seat] ?? "")),
    rules: match.rulesName || match.rulesBase || BASE_OF_ALL_RULES,
    changes: match.rulesName ? {} : { ...match.ruleset },
    title: match.title,
    seats: match.names.length,
    bots: match.bots.filter((bot) => bot !== null),
    listed: false,
    commitment,
  };
  const { code } = await postJson<SeatResponse>("/api/tables", form);
  keepCommitment(code, 1, commitment);
  const people = match.names.filter((_, seat) => seat !== match.seat && match.bots[seat] === null);
  inviteAgain(code, people);
  return `/t/${encodeURIComponent(code)}`;
}

/** The matches that were deleted last. */
export class MatchDeletion {
  /** Empty if there is nothing to undo. */
  deleted: readonly RecordedMatch[] = $state.raw([]);
  /** Whether the last deletion was undone. */
  undone = $state(false);

  /** `changed` is called after each deletion and each undo. */
  constructor(readonly changed: () => Promise<void>) {}

  /** Deletes matches by their ids. Throws where the browser has no database. */
  async delete(ids: readonly string[]): Promise<void> {
    this.deleted = await deleteMatches(ids);
    this.undone = false;
    await this.changed();
  }

  /** Brings back the matches that were deleted last. Throws where the browser has no database. */
  async undo(): Promise<void> {
    await keepMatches(this.deleted);
    this.deleted = [];
    this.undone = true;
    await this.changed();
  }
}
