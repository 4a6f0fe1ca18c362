/** What every test starts from: English words, nothing remembered, the first page. */
import { configure } from "@testing-library/svelte";
import { beforeEach } from "vitest";
import { need, speak, type Part } from "../lib/i18n.svelte";
import { go } from "../lib/router.svelte";

const PARTS = Object.keys(import.meta.glob("../words/en/*.json")).map((path) => path.split(/[/.]/).at(-2) as Part);

configure({ asyncUtilTimeout: 10_000 }); // the first render of a page loads its code

beforeEach(async () => {
  localStorage.clear();
  window.scrollTo = () => undefined; // jsdom has none
  go("/", { replace: true });
  await need(PARTS);
  await speak("en");
});
