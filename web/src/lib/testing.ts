/** What every test starts from: English words, nothing remembered, the first page. */
import { beforeEach } from "vitest";
import { need, speak, type Part } from "./i18n.svelte";
import { go } from "./router.svelte";

const PARTS = Object.keys(import.meta.glob("../words/en/*.json")).map((path) => path.split(/[/.]/).at(-2) as Part);

beforeEach(async () => {
  localStorage.clear();
  window.scrollTo = () => undefined; // jsdom has none
  go("/", { replace: true });
  await need(PARTS);
  await speak("en");
});
