/** Opens a table against bots whose match begins at once. */
import { postJson } from "../lib/http";
import { rememberName } from "../lib/player.svelte";
import type { SeatResponse, TableForm } from "../lib/protocol";
import { keepCommitment, newCommitment } from "../lib/seeds";

/** What differs between tables against bots. An empty `name` becomes a random one. */
type BotTable = Pick<TableForm, "name" | "rules" | "changes" | "title" | "spectators" | "training"> & {
  bots: string[];
};

/** Opens a table without a clock and with odds, and returns its code. Throws `ApiError`. */
export async function openBotTable(table: BotTable): Promise<string> {
  const commitment = newCommitment();
  const form: TableForm = {
    ...table,
    name: rememberName(table.name),
    seats: table.bots.length + 1,
    clock: { turn_s: null, bank_s: 0 },
    hints: true,
    listed: false,
    away: "wait",
    begin: true,
    commitment,
  };
  const { code } = await postJson<SeatResponse>("/api/tables", form);
  keepCommitment(code, 1, commitment);
  return code;
}
