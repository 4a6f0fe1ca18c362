/**
 * The state before each test: English texts, empty storage, the start page, real timers. Files of tests share a document
 * and modules, since making them takes longer than the tests.
 */
import { configure } from "@testing-library/svelte";
import { afterEach, beforeEach, vi } from "vitest";
import { requireWords, setLanguage, type WordFile } from "../lib/i18n.svelte";
import { navigate } from "../lib/router.svelte";
import { requests } from "../setup/presets";

const WORD_FILES = Object.keys(import.meta.glob("../words/en/*.json")).map(
  (path) => path.split(/[/.]/).at(-2) as WordFile,
);

configure({ asyncUtilTimeout: 30_000 }); // the first render of a page loads its code

beforeEach(async () => {
  localStorage.clear();
  sessionStorage.clear();
  requests.clear();
  window.scrollTo = () => undefined; // jsdom has none
  navigate("/", { replace: true });
  await requireWords(WORD_FILES);
  await setLanguage("en");
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  Reflect.deleteProperty(navigator, "clipboard"); // jsdom has none; user-event adds one
});
