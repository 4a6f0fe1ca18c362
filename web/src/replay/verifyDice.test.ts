import { expect, test } from "vitest";
import text from "./match.fixture.jsonl?raw";
import { readRecord, BadRecord, type MatchRecord } from "./matchRecord";
import { checks, type Check } from "./verifyDice";

async function all(record: MatchRecord): Promise<Check[]> {
  const found: Check[] = [];
  if (record.fairness) for await (const check of checks(record, record.fairness)) found.push(check);
  return found;
}

test("every die of a match that a server made comes out of its seeds again", async () => {
  const found = await all(readRecord(text));
  expect(found.filter(({ ok }) => !ok)).toEqual([]);
  expect(found.map(({ what }) => what)).toContain("start");
  expect(found.map(({ what }) => what)).toContain("penalty");
  expect(found.filter(({ what }) => what === "round")).toHaveLength(3);
});

test("a die that was changed is found, in its round and nowhere else", async () => {
  const record = readRecord(text);
  const dealt = record.events.filter((event) => event.type === "dealt")[1];
  const [hand = []] = dealt?.hands.filter(({ length }) => length > 0) ?? [];
  hand[0] = ((hand[0] ?? 1) % 6) + 1;
  const wrong = (await all(record)).filter(({ ok }) => !ok);
  expect(wrong.map(({ what, number }) => `${what} ${number}`)).toEqual(["round 2"]);
});

test("another seed than the promised one is found", async () => {
  const record = readRecord(text);
  if (record.fairness) record.fairness.server_seed = "00".repeat(32);
  const found = await all(record);
  expect(found[0]).toMatchObject({ what: "commitment", ok: false });
});

test("what is no record is refused with a reason", () => {
  expect(() => readRecord("")).toThrow(BadRecord);
  expect(() => readRecord("{}")).toThrow("the first line is not the header");
  expect(() => readRecord('{"record":"liarsdice_record"}\nnonsense')).toThrow("line 2 is not JSON");
  expect(() => readRecord('{"record":"liarsdice_record"}\n{"type":"bid_made"}')).toThrow("start of a match");
});
