/** Modules that are loaded when they are needed, together with the words files that they use. */
import { requireWords, type WordFile } from "./i18n.svelte";

/**
 * A loader of a module and the words files that it uses. It returns the module itself once that is loaded, so that what
 * is shown again is there at once: for a promise, the page would show a gap.
 */
export function withWords<T>(load: () => Promise<T>, ...wordFiles: WordFile[]): () => Promise<T> | T {
  let loaded: T | undefined;
  return () => loaded ?? Promise.all([load(), requireWords(wordFiles)]).then(([module]) => (loaded = module));
}
