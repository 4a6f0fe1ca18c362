import { expect, test } from "vitest";
import text from "./match.fixture.jsonl?raw";
import { saidWord } from "../seats/saidWord";
import { parseRecord, type RecordedEvent } from "./matchRecord";
import { ReplayTable } from "./replayTable";
import { buildTimeline } from "./playback.svelte";

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
