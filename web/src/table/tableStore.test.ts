import { expect, test } from "vitest";
import { PLAYERS, setting, update } from "../testing/tableFrames";
import { TableStore } from "./tableStore.svelte";

function storeAfter(...frames: Parameters<TableStore["receive"]>[0][]): TableStore {
  const table = new TableStore("FLEA");
  for (const frame of frames) table.receive(frame);
  return table;
}

test("an update replaces the state", () => {
  const table = storeAfter(setting(), update({}));
  expect(table.setting?.config.title).toBe("The Crooked Spoon");
  expect(table.myTurn).toBe(true);
  expect(table.me?.name).toBe("Maren");
  expect(table.playerAt(3)?.name).toBe("Jun");
});

test("an update that is older than what the page has is ignored", () => {
  const table = storeAfter(update({ turn: 1 }, {}, {}, 40), update({ turn: 2 }, {}, {}, 39));
  expect(table.match?.turn).toBe(1);
});

test("news that came before are not added twice", () => {
  const first = update({});
  const second = {
    ...update({}, {}, {}, 41),
    news: [...first.news.slice(-2), { seq: 41, at_ms: 0, content: { type: "said" as const, player: 1, text: "hm" } }],
  };
  const table = storeAfter(first, second);
  expect(table.news.map((item) => item.seq)).toEqual([...first.news.map((item) => item.seq), 41]);
});

test("the names of players stay known after they have left", () => {
  const first = update(null, {}, { stage: "gathering" });
  const table = storeAfter(first, update(null, {}, { stage: "gathering", players: PLAYERS.slice(0, 2) }, 41));
  expect(table.playerName(4)).toBe("Jun");
  const [news] = first.news;
  expect(news && table.narratorAt(news).names[3]).toBe("Jun");
});

test("a person without a connection is away, but a bot or a program never is", () => {
  const table = storeAfter(update({}), { type: "presence", connected: [1, 2], watching: 0 });
  expect(PLAYERS.filter((player) => table.isAway(player)).map((player) => player.name)).toEqual(["Ines", "Jun"]);
  expect(table.isAway({ id: 3, name: "Ines", program: true })).toBe(false);
});

test("a player who joined after the match has no seat in it", () => {
  const table = storeAfter(update({ dice: [2, 0] }, { seat: 2, player: 3 }, { stage: "over" }));
  expect(table.seat).toBeNull();
});

test("a problem is shown once, however often it comes", () => {
  const problem = { type: "problem" as const, code: "illegal" as const, text: "no", id: null };
  const table = storeAfter(problem, problem);
  expect(table.problems).toHaveLength(1);
  table.dismissProblem(table.problems[0]?.key ?? 0);
  expect(table.problems).toHaveLength(0);
});
