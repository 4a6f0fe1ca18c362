import { expect, test } from "vitest";
import pages from "./pages.json";

/** Every file of the page by its path in `src/`, as text. */
const sources = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>(["../**/*.{svelte,ts}", "!../**/*.test.ts"], {
      eager: true,
      query: "?raw",
      import: "default",
    }),
  ).map(([path, text]) => [new URL(path, "file:///words/").pathname.slice(1), text]),
);
const words = import.meta.glob<Record<string, unknown>>("./en/*.json", { eager: true, import: "default" });
const partOf = new Map(
  Object.entries(words).flatMap(([path, said]) =>
    Object.keys(said).map((key) => [key, path.split(/[/.]/).at(-2) ?? ""] as const),
  ),
);

/** What a file imports from the start, types left aside. */
function imported(path: string): string[] {
  const text = sources[path] ?? "";
  return [...text.matchAll(/^\s*import (?!type )(?:[^;"]*? from )?"(\.[^"]+)"/gm)].flatMap(([, to = ""]) => {
    const target = new URL(to, `file:///${path}`).pathname.slice(1);
    return [target, `${target}.ts`, `${target}.svelte.ts`].filter((one) => one in sources);
  });
}

function withImports(path: string): Set<string> {
  const found = new Set([path]);
  for (const one of found) for (const next of imported(one)) found.add(next);
  return found;
}

/** The keys that a file names, also by how they begin. */
function keys(path: string): string[] {
  const text = sources[path] ?? "";
  const whole = [...text.matchAll(/"([a-z]+(?:\.[a-z_]+)*)"/g)]
    .map(([, key = ""]) => key)
    .filter((key) => partOf.has(key));
  const begun = [...text.matchAll(/`([a-z]+\.[a-z_.]*)\$\{/g)].flatMap(([, start = ""]) =>
    [...partOf.keys()].filter((key) => key.startsWith(start)),
  );
  return [...whole, ...begun];
}

function partsFor(path: string): Set<string> {
  return new Set([...withImports(path)].flatMap(keys).map((key) => partOf.get(key) ?? ""));
}

test.each(Object.entries(pages))("%s loads the words that it says, and no others", (page, loaded) => {
  const said = new Set([...partsFor("App.svelte"), ...partsFor(`pages/${page}.svelte`)]);
  expect([...loaded].sort()).toEqual([...said].sort());
});

test("every page has its words named", () => {
  const files = Object.keys(sources).flatMap((path) => /^pages\/(\w+)\.svelte$/.exec(path)?.[1] ?? []);
  expect(Object.keys(pages).sort()).toEqual(files.sort());
});

const lazy = [
  ...(sources["table/lazyComponents.ts"] ?? "").matchAll(/import\("(\.[./\w]+\.svelte)"\)((?:, "\w+")*)/g),
].map(
  ([, path = "", parts = ""]) =>
    [new URL(path, "file:///table/").pathname.slice(1), parts.match(/\w+/g) ?? []] as const,
);

test.each(lazy)("%s brings the words that it says to a table", (path, brought) => {
  const loaded = [...pages.Table, ...brought];
  expect([...partsFor(path)].filter((part) => !loaded.includes(part))).toEqual([]);
});

test("there are such parts of the table", () => {
  expect(lazy.length).toBeGreaterThan(10);
  expect(lazy.filter(([path]) => !(path in sources))).toEqual([]);
});
