import { beforeEach, expect, test, vi, describe } from "vitest";
import text from "./match.fixture.jsonl?raw";
import { parseRecord, type RecordedEvent, RecordError, type MatchRecord } from "./matchRecord";
import { roundStarts, buildTimeline, type TimelineStep } from "./playback.svelte";
import { saidWord } from "../seats/saidWord";
import { ReplayTable } from "./replayTable";
import { keepCommitment, keepPromise } from "../lib/seeds";
import signedText from "./signed.fixture.jsonl?raw";
import { matchPromise, verifyDice, type Check } from "./verifyDice";

describe("timeline", () => {
  let steps: TimelineStep[] = [];

  beforeEach(() => (steps = buildTimeline(parseRecord(text))));

  test("a timeline goes from the players to the winner through all rounds", () => {
    expect(steps[0]?.text).toContain("Ines");
    expect(roundStarts(steps).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(steps.at(-1)?.snapshot.winners).toHaveLength(1);
    expect(steps.every((step) => step.text !== "")).toBe(true);
  });

  test("hands are as dealt, less the dice that a penalty took at once", () => {
    const dealt = steps.find(({ kind }) => kind === "dealt")?.snapshot;
    expect(dealt?.hands.map((hand) => hand.length)).toEqual([2, 2, 2]);
    const after = steps.find(({ kind }) => kind === "penalised")?.snapshot;
    expect(after?.hands.map((hand) => hand.length)).toEqual([2, 1, 2]);
  });

  test("what a player gives away is what another one has more", () => {
    const { start, ...record } = parseRecord(text);
    const ruleset = { ...start.ruleset, loss: { ...start.ruleset.loss, lives: 3 } };
    const change = { seat: 0, left: 1, cause: "bid_false" as const, to: 2 };
    const shown = buildTimeline({
      ...record,
      start: { ...start, ruleset },
      events: [start, { type: "dice_lost", dice: 1, ...change }, { type: "lives_lost", lives: 2, ...change }],
    });
    expect(shown.at(-1)?.snapshot).toMatchObject({ dice: [1, 2, 3], lives: [1, 3, 5] });
  });

  test("the dice of a player who loses the last life during a round leave the table", () => {
    const record = parseRecord(text);
    const dealt = record.events.findIndex(({ type }) => type === "dealt");
    const events = [...record.events.slice(0, dealt + 1), { type: "eliminated" as const, seat: 1 }];
    const last = buildTimeline({ ...record, events }).at(-1)?.snapshot;
    expect(last?.hands.map((hand) => hand.length)).toEqual([2, 0, 2]);
    expect(last?.dice).toEqual([2, 0, 2]);
  });

  test("the latest bid stands until the reveal, and a new round begins without one", () => {
    const revealed = steps.find(({ kind }) => kind === "revealed")?.snapshot;
    expect(revealed?.standingBid?.bid).toEqual([revealed?.reveal?.bid.quantity, revealed?.reveal?.bid.face]);
    const second = steps[roundStarts(steps)[1]?.step ?? 0]?.snapshot;
    expect(second?.standingBid).toBeNull();
    expect(second?.reveal).toBeNull();
  });

  test("a deal says who does not look at the own dice", () => {
    const record = parseRecord(text);
    const events = record.events.map((event) => (event.type === "dealt" ? { ...event, blind: [0] } : event));
    const dealt = buildTimeline({ ...record, events }).find(({ kind }) => kind === "dealt");
    expect(dealt?.text).toBe(`Everyone rolls. ${record.start.names[0] ?? ""} does not look at their own dice.`);
  });
});

describe("replay table", () => {
  const record = parseRecord(text);
  const steps = buildTimeline(record);

  function show(kind: string, open = false): ReplayTable {
    const replay = new ReplayTable("FLEA");
    const step = steps.find((known) => known.kind === kind);
    if (step) replay.show(record, step.snapshot, open);
    return replay;
  }

  test("a bid of a replay stands on the table, and cups stay down unless all are shown", () => {
    const { board, table } = show("bid_made");
    expect(board.mode).toBe("bidding");
    expect(board.standingBid).not.toBeNull();
    expect(table.players.map(({ name }) => name)).toEqual(record.start.names);
    expect(board.openHands).toBeNull();
    expect(show("bid_made", true).board.openHands?.map((hand) => hand.length)).toEqual(table.match?.dice);
  });

  test("players who do not look at their own dice are marked until the reveal", () => {
    const events = record.events.map((event) => (event.type === "dealt" ? { ...event, blind: [1] } : event));
    const blindSteps = buildTimeline({ ...record, events });
    const marked = (kind: string) => {
      const replay = new ReplayTable("FLEA");
      const step = blindSteps.find((known) => known.kind === kind);
      if (step) replay.show(record, step.snapshot, true);
      return replay.board.replayBlind;
    };
    expect([marked("dealt"), marked("bid_made"), marked("revealed"), marked("round_started")]).toEqual([
      [1],
      [1],
      [],
      [],
    ]);
  });

  test("a pass is shown at its seat until the next bid", () => {
    const events = record.events.flatMap((event): RecordedEvent[] =>
      event.type === "bid_made" ? [event, { type: "passed", seat: 2 }] : [event],
    );
    const passed = buildTimeline({ ...record, events });
    const saidAfter = (kind: string) => {
      const replay = new ReplayTable("FLEA");
      const step = passed.find((known) => known.kind === kind);
      if (step) replay.show(record, step.snapshot, false);
      return record.start.names.map((_, seat) => saidWord(replay.board, seat));
    };
    expect(saidAfter("passed")).toEqual([null, null, "Pass"]);
    expect(saidAfter("bid_made")).toEqual([null, null, null]);
  });

  test("a revealed step shows the whole count at once, and a later one the loss", () => {
    const { board } = show("revealed");
    expect([board.mode, board.reveal.stage]).toEqual(["reveal", "told"]);
    const lost = steps.find(({ kind, snapshot }) => kind === "dice_lost" && snapshot.reveal)?.snapshot;
    const replay = show("revealed");
    if (lost) replay.show(record, lost, false);
    expect(record.start.names.map((_, seat) => replay.board.reveal.lostDice(seat)).some((dice) => dice > 0)).toBe(true);
  });

  test("the last step shows the winner", () => {
    const { board, table } = show("match_ended");
    expect(board.mode).toBe("over");
    expect(table.match?.winners).toHaveLength(1);
  });
});

describe("verify dice", () => {
  async function runChecks(record: MatchRecord): Promise<Check[]> {
    const results: Check[] = [];
    if (record.fairness) for await (const check of verifyDice(record, record.fairness)) results.push(check);
    return results;
  }

  function failures(results: Check[]): string[] {
    return results.filter(({ ok }) => !ok).map(({ kind }) => kind);
  }

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

  test("where first rolls seated the players, the first seat starts", async () => {
    for (const seat of [0, 1]) {
      const record = parseRecord(signedText);
      const found = record.events.find(({ type }) => type === "starter_found");
      Object.assign(found ?? {}, { seat, method: "seated_by_roll" });
      expect((await runChecks(record)).find(({ kind }) => kind === "starter")).toMatchObject({ ok: seat === 0 });
    }
  });

  test("a signed record is verified: its end, signature, seeds, and all dice", async () => {
    const results = await runChecks(parseRecord(signedText));
    expect(failures(results)).toEqual([]);
    const kinds = results.map(({ kind }) => kind);
    expect(kinds.slice(0, 4)).toEqual(["finished", "signature", "commitment", "seeds"]);
    expect(kinds).toEqual(expect.arrayContaining(["start", "penalty"]));
    expect(kinds.filter((kind) => kind === "round")).toHaveLength(5);
  });

  test("dice that differ by seat and hands that are rolled again follow from the seeds, too", async () => {
    const record = parseRecord(signedText);
    const { start } = record;
    const { dice, count } = start.ruleset;
    for (const changed of [
      { dice: { ...dice, faces_by_seat: null } },
      { count: { ...count, all_different: null } },
      { count: { ...count, straights: "high" as const } },
    ]) {
      const ruleset = { ...start.ruleset, ...changed };
      expect(failures(await runChecks({ ...record, start: { ...start, ruleset } }))).toContain("round");
    }
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
});
