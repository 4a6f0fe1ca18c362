/** The state before each test: English texts, empty storage, the start page. */
import { configure } from "@testing-library/svelte";
import { beforeEach } from "vitest";
import { requireWords, setLanguage, type WordFile } from "../lib/i18n.svelte";
import { navigate } from "../lib/router.svelte";

const WORD_FILES = Object.keys(import.meta.glob("../words/en/*.json")).map(
  (path) => path.split(/[/.]/).at(-2) as WordFile,
);

configure({ asyncUtilTimeout: 10_000 }); // the first render of a page loads its code

beforeEach(async () => {
  localStorage.clear();
  window.scrollTo = () => undefined; // jsdom has none
  navigate("/", { replace: true });
  await requireWords(WORD_FILES);
  await setLanguage("en");
});
