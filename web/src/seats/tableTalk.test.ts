import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { NewsItem } from "../lib/protocol";
import { TableTalk } from "../voices/tableTalk.svelte";

const said = (seq: number, player: number, text: string): NewsItem => ({
  seq,
  at_ms: 0,
  content: { type: "said", player, text },
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a bubble shows the latest line of its player for some seconds", () => {
  const talk = new TableTalk();
  const news = [said(1, 2, "old")];
  talk.hear(news, true);
  expect(talk.lines).toEqual({});
  news.push(said(2, 2, "Bold."), said(3, 3, "Hurry up"));
  talk.hear(news, false);
  expect(talk.lines).toEqual({ 2: "Bold.", 3: "Hurry up" });
  vi.advanceTimersByTime(3000);
  talk.hear([...news, said(4, 2, "Nice hand")], false);
  vi.advanceTimersByTime(2000);
  expect(talk.lines).toEqual({ 2: "Nice hand" });
  vi.advanceTimersByTime(5000);
  expect(talk.lines).toEqual({});
});
