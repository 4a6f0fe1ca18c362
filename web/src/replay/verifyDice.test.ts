import { expect, test } from "vitest";
import text from "./match.fixture.jsonl?raw";
import { parseRecord, RecordError, type MatchRecord } from "./matchRecord";
import { verifyDice, type Check } from "./verifyDice";

async function runChecks(record: MatchRecord): Promise<Check[]> {
  const results: Check[] = [];
  if (record.fairness) for await (const check of verifyDice(record, record.fairness)) results.push(check);
  return results;
}

test("all dice of a match of a server follow from its seeds", async () => {
  const results = await runChecks(parseRecord(text));
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(results.map(({ kind }) => kind)).toContain("start");
  expect(results.map(({ kind }) => kind)).toContain("penalty");
  expect(results.filter(({ kind }) => kind === "round")).toHaveLength(3);
});

test("a changed die is found, in its round and nowhere else", async () => {
  const record = parseRecord(text);
  const dealt = record.events.filter((event) => event.type === "dealt")[1];
  const [hand = []] = dealt?.hands.filter(({ length }) => length > 0) ?? [];
  hand[0] = ((hand[0] ?? 1) % 6) + 1;
  const wrong = (await runChecks(record)).filter(({ ok }) => !ok);
  expect(wrong.map(({ kind, number }) => `${kind} ${number}`)).toEqual(["round 2"]);
});

test("a seed without a matching commitment is found", async () => {
  const record = parseRecord(text);
  if (record.fairness) record.fairness.server_seed = "00".repeat(32);
  const results = await runChecks(record);
  expect(results[0]).toMatchObject({ kind: "commitment", ok: false });
});

test("text that is no record is refused with a reason", () => {
  expect(() => parseRecord("")).toThrow(RecordError);
  expect(() => parseRecord("{}")).toThrow("the first line is not the header");
  expect(() => parseRecord('{"record":"liarsdice_record"}\nnonsense')).toThrow("line 2 is not JSON");
  expect(() => parseRecord('{"record":"liarsdice_record"}\n{"type":"bid_made"}')).toThrow("start of a match");
});
