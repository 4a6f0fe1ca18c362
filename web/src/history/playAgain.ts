/** Opens a new table for the people and the rules of an earlier match. */
import { postJson } from "../lib/http";
import { rememberName, savedName } from "../lib/player";
import type { SeatResponse, TableForm } from "../lib/protocol";
import { keepCommitment, newCommitment } from "../lib/seeds";
import { BASE_OF_ALL_RULES } from "../rules/rulesUrl";
import { TableFormState } from "../setup/tableForm.svelte";
import { inviteAgain } from "./invitedPeople";
import type { KeptMatch } from "./matchSummary";

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
