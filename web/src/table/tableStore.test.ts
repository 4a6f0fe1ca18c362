import { expect, test } from "vitest";
import { PLAYERS, setting, update } from "../testing/tableFrames";
import { TableStore } from "./tableStore.svelte";

function told(...frames: Parameters<TableStore["receive"]>[0][]): TableStore {
  const table = new TableStore("FLEA");
  for (const frame of frames) table.receive(frame);
  return table;
}

test("an update is drawn as it is", () => {
  const table = told(setting(), update({}));
  expect(table.setting?.options.title).toBe("The Crooked Spoon");
  expect(table.myTurn).toBe(true);
  expect(table.me?.name).toBe("Maren");
  expect(table.playerAt(3)?.name).toBe("Jun");
});

test("an update that is older than what the page has is ignored", () => {
  const table = told(update({ turn: 1 }, {}, {}, 40), update({ turn: 2 }, {}, {}, 39));
  expect(table.match?.turn).toBe(1);
});

test("news that came before are not told twice", () => {
  const first = update({});
  const second = {
    ...update({}, {}, {}, 41),
    news: [...first.news.slice(-2), { seq: 41, at_ms: 0, what: { type: "said" as const, player: 1, text: "hm" } }],
  };
  const table = told(first, second);
  expect(table.news.map((one) => one.seq)).toEqual([...first.news.map((one) => one.seq), 41]);
});

test("a player keeps their name in what was told, also after they have left", () => {
  const first = update(null, {}, { stage: "gathering" });
  const table = told(first, update(null, {}, { stage: "gathering", players: PLAYERS.slice(0, 2) }, 41));
  expect(table.playerName(4)).toBe("Jun");
  const [news] = first.news;
  expect(news && table.seatNamesAt(news)[3]).toBe("Jun");
});

test("somebody who is not connected is away, but a bot never is", () => {
  const table = told(update({}), { type: "presence", here: [1, 2], watching: 0 });
  expect(PLAYERS.filter((one) => table.isAway(one)).map((one) => one.name)).toEqual(["Ines", "Jun"]);
});

test("somebody who came after the match has no seat in it", () => {
  const table = told(update({ dice: [2, 0] }, { seat: 2, player: 3 }, { stage: "over" }));
  expect(table.seat).toBeNull();
});

test("a problem is shown once, however often it comes", () => {
  const problem = { type: "problem" as const, code: "illegal" as const, text: "no", id: null };
  const table = told(problem, problem);
  expect(table.problems).toHaveLength(1);
  table.dismissProblem(table.problems[0]?.key ?? 0);
  expect(table.problems).toHaveLength(0);
});
