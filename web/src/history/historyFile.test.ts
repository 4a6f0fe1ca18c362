import { expect, test } from "vitest";
import { t, type Key } from "../lib/i18n.svelte";
import text from "../replay/signed.fixture.jsonl?raw";
import { readHistoryFile, writeHistoryFile, type RecordedMatch } from "./historyFile";

const context = { seat: 1, title: "The Wet Boot", rulesName: "basic", rulesBase: "", bots: [null, null, "novice"] };

function fileWith(record: string, changes: object = {}): string {
  const entry = { ...context, playedAt: 1_700_000_000_000, record, ...changes };
  return JSON.stringify({ format: "liarsdice_matches", version: 1, matches: [entry] });
}

async function read(content: string): Promise<RecordedMatch[]> {
  return readHistoryFile(new Blob([content]));
}

test("a saved file is read as the matches that were saved", async () => {
  const matches = await read(fileWith(text));
  expect(matches.map(({ match }) => match.id)).toEqual([expect.stringMatching(/^K7P4\/1\/[0-9a-f]{64}$/)]);
  expect(await read(writeHistoryFile(matches))).toEqual(matches);
});

test.each<[string, Key, string]>([
  ["no JSON", "matches.file.other", "hello"],
  ["another format", "matches.file.other", "[1]"],
  ["a later version", "matches.file.newer", fileWith(text).replace('"version":1', '"version":2')],
  ["a seat that nobody had", "matches.file.entry", fileWith(text, { seat: 3 })],
  ["a name that is no text", "matches.file.entry", fileWith(text, { title: { toString: 1 } })],
  ["a date out of range", "matches.file.entry", fileWith(text, { playedAt: 1e300 })],
  ["too few bots", "matches.file.entry", fileWith(text, { bots: [] })],
  ["a record without an end", "matches.file.entry", fileWith(text.replaceAll("match_ended", "round_ended"))],
  ["an unknown event", "matches.file.entry", fileWith(text.replace("bid_made", "__proto__"))],
  ["a seat of an event that does not exist", "matches.file.entry", fileWith(text.replace('"seat":1', '"seat":7'))],
  ["hands that are no lists", "matches.file.entry", fileWith(text.replace(/"hands":\[\[/, '"hands":[[null,'))],
  ["rules without dice", "matches.file.entry", fileWith(text.replace('"per_player":4', '"per_player":"4"'))],
  ["a record that is none", "matches.file.entry", fileWith("{}")],
])("a file with %s is refused", async (_, key, content) => {
  await expect(read(content)).rejects.toThrow(t(key, { number: 1 }));
});
