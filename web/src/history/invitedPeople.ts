/** The people for whom this tab opened a table to play again. */
import { loadSession, saveSession } from "../lib/storage";

const KEY = "again";

/** Remembers the names of the people for whom a table was opened. */
export function inviteAgain(code: string, people: readonly string[]): void {
  saveSession(KEY, [code, ...people].join("\n"));
}

/** The names of the people for whom this tab opened a table, empty if it did not. */
export function invitedAgain(code: string): readonly string[] {
  const [opened, ...people] = (loadSession(KEY) ?? "").split("\n");
  return opened === code ? people : [];
}
