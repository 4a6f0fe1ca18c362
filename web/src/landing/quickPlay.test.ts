import { beforeEach, expect, test, vi } from "vitest";
import type { TableForm } from "../lib/protocol";
import { QuickPlay } from "./quickPlay.svelte";

let forms: TableForm[] = [];
beforeEach(() => {
  forms = [];
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    forms.push(JSON.parse(init.body as string) as TableForm);
    return Promise.resolve(Response.json({ code: "FLEA" }));
  });
});

test("quick play opens a training table where it is asked for, and remembers that", async () => {
  const quick = new QuickPlay();
  await quick.play();
  quick.training = true;
  await quick.play();
  expect(forms.map(({ hints, training }) => [hints, training])).toEqual([
    [true, false],
    [true, true],
  ]);
  expect(new QuickPlay().training).toBe(true);
});
