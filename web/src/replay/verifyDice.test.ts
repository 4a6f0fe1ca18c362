import { beforeEach, expect, test, vi } from "vitest";
import { keepCommitment, keepPromise } from "../lib/seeds";
import mixedText from "./mixed.fixture.jsonl?raw";
import rerolledText from "./rerolled.fixture.jsonl?raw";
import signedText from "./signed.fixture.jsonl?raw";
import { matchPromise, verifyDice, type Check } from "./verifyDice";
import { parseRecord, RecordError, type MatchRecord } from "./matchRecord";

async function runChecks(record: MatchRecord): Promise<Check[]> {
  const results: Check[] = [];
  if (record.fairness) for await (const check of verifyDice(record, record.fairness)) results.push(check);
  return results;
}

function failures(results: Check[]): string[] {
  return results.filter(({ ok }) => !ok).map(({ kind }) => kind);
}

beforeEach(() => {
  localStorage.clear();
  vi.restoreAllMocks();
});

test("all dice of a match of a server follow from its seeds", async () => {
  const results = await runChecks(parseRecord(signedText));
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(results.map(({ kind }) => kind)).toContain("start");
  expect(results.map(({ kind }) => kind)).toContain("penalty");
  expect(results.filter(({ kind }) => kind === "round")).toHaveLength(9);
});

test("a changed die is found, in its round and nowhere else", async () => {
  const record = parseRecord(signedText);
  const dealt = record.events.filter((event) => event.type === "dealt")[1];
  const [hand = []] = dealt?.hands.filter(({ length }) => length > 0) ?? [];
  hand[0] = ((hand[0] ?? 1) % 6) + 1;
  const wrong = (await runChecks(record)).filter(({ ok }) => !ok);
  expect(wrong.map(({ kind, number }) => `${kind} ${number}`)).toEqual(["round 2"]);
});

test("a seed without a matching commitment is found", async () => {
  const record = parseRecord(signedText);
  if (record.fairness) record.fairness.server_seed = "00".repeat(32);
  const results = await runChecks(record);
  expect(results.find(({ kind }) => kind === "commitment")).toMatchObject({ ok: false });
});

test("a signed record is verified: its end, signature, seeds, and all dice", async () => {
  const results = await runChecks(parseRecord(signedText));
  expect(failures(results)).toEqual([]);
  expect(results.slice(0, 4).map(({ kind }) => kind)).toEqual(["finished", "signature", "commitment", "seeds"]);
  expect(results.filter(({ kind }) => kind === "round")).toHaveLength(9);
});

test("hands that are rolled again follow from the seeds, too", async () => {
  const record = parseRecord(rerolledText);
  expect(record.start.ruleset.count.all_different).toBe("rolled_again");
  expect(failures(await runChecks(record))).toEqual([]);
  const kept = { ...record.start.ruleset, count: { ...record.start.ruleset.count, all_different: null } };
  const asFirstRolled = await runChecks({ ...record, start: { ...record.start, ruleset: kept } });
  expect(failures(asFirstRolled)).toContain("round");
});

test("a changed name, bid or version of a signed record is found", async () => {
  const bid = /"quantity":(\d)/.exec(signedText)?.[0] ?? "";
  for (const [old, changed] of [
    ['"Ann"', '"Eve"'],
    [bid, '"quantity":9'],
    ['"engine":"', '"engine":"9'],
  ] as const) {
    expect(failures(await runChecks(parseRecord(signedText.replace(old, changed))))).toContain("signature");
  }
});

test("a record without its end or its signature is found", async () => {
  const lines = signedText.trimEnd().split("\n");
  expect(failures(await runChecks(parseRecord(lines.slice(0, -1).join("\n"))))).toEqual(["signature"]);
  expect(failures(await runChecks(parseRecord(lines.slice(0, -2).join("\n"))))).toEqual(["finished", "signature"]);
});

test("a browser without Ed25519 makes no statement about the signature", async () => {
  vi.spyOn(crypto.subtle, "importKey").mockImplementationOnce(() =>
    Promise.reject(new DOMException("unknown", "NotSupportedError")),
  );
  const results = await runChecks(parseRecord(signedText));
  expect(results.some(({ kind }) => kind === "signature")).toBe(false);
  expect(failures(results)).toEqual([]);
});

test("the promise and the seed that this browser knows are compared with the record", async () => {
  const record = parseRecord(signedText);
  const { code = "", number = 0, commitments = [], seeds = [] } = record.fairness ?? {};
  const promise = record.fairness ? matchPromise(record, record.fairness) : "";
  localStorage.setItem("liarsdice.seeds", JSON.stringify({ [commitments[0] ?? ""]: seeds[0] }));
  keepPromise(code, number, promise);
  const kinds = (await runChecks(record)).filter(({ ok }) => ok).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(["own", "promise"]));
  localStorage.setItem("liarsdice.seeds", JSON.stringify({ [commitments[0] ?? ""]: "other" }));
  localStorage.setItem("liarsdice.promises", JSON.stringify({ [`${code}/${number}`]: "other" }));
  expect(failures(await runChecks(record))).toEqual(["own", "promise"]);
});

test("a match whose commitments lack the one of this browser, which the server confirmed, is found", async () => {
  const record = parseRecord(signedText);
  const { code = "", number = 0, commitments = [] } = record.fairness ?? {};
  keepCommitment(code, number, commitments[0] ?? "");
  expect(failures(await runChecks(record))).toEqual([]);
  keepCommitment(code, number, "another one");
  expect(failures(await runChecks(record))).toEqual(["included"]);
});

test("a seed that was not promised or was used twice is found", async () => {
  const record = parseRecord(signedText);
  const [first = "", , third = ""] = record.fairness?.seeds ?? [];
  if (record.fairness) record.fairness.seeds = [first, first, third];
  const seedCheck = (await runChecks(record)).find(({ kind }) => kind === "seeds");
  expect(seedCheck).toMatchObject({ ok: false, actual: "Ann, Bo" });
});

test("text that is no record is refused with a reason", () => {
  expect(() => parseRecord("")).toThrow(RecordError);
  expect(() => parseRecord("{}")).toThrow("the first line is not the header");
  expect(() => parseRecord('{"record":"liarsdice_record"}\nnonsense')).toThrow("line 2 is not JSON");
  expect(() => parseRecord('{"record":"liarsdice_record"}\n{"type":"bid_made"}')).toThrow("start of a match");
});

test("dice that differ by seat follow from the seeds, too", async () => {
  const record = parseRecord(mixedText);
  expect(record.start.ruleset.dice.faces_by_seat).toEqual([4, 8]);
  expect(failures(await runChecks(record))).toEqual([]);
  const alike = { ...record.start.ruleset, dice: { ...record.start.ruleset.dice, faces_by_seat: null } };
  expect(failures(await runChecks({ ...record, start: { ...record.start, ruleset: alike } }))).toContain("round");
});
