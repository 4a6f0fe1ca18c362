import { expect, test } from "vitest";
import pages from "./pages.json";

/** The text of every source file by its path in `src/`. */
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
const fileOfKey = new Map(
  Object.entries(words).flatMap(([path, texts]) =>
    Object.keys(texts).map((key) => [key, path.split(/[/.]/).at(-2) ?? ""] as const),
  ),
);

/** The static imports of a file, without types. */
function imported(path: string): string[] {
  const text = sources[path] ?? "";
  return [...text.matchAll(/^\s*import (?!type )(?:[^;"]*? from )?"(\.[^"]+)"/gm)].flatMap(([, specifier = ""]) => {
    const target = new URL(specifier, `file:///${path}`).pathname.slice(1);
    return [target, `${target}.ts`, `${target}.svelte.ts`].filter((candidate) => candidate in sources);
  });
}

function withImports(path: string): Set<string> {
  const paths = new Set([path]);
  for (const reached of paths) for (const next of imported(reached)) paths.add(next);
  return paths;
}

/** The keys that a file uses, complete or as the start of a template literal. */
function keys(path: string): string[] {
  const text = sources[path] ?? "";
  const whole = [...text.matchAll(/"([a-z]+(?:\.[a-z_]+)*)"/g)]
    .map(([, key = ""]) => key)
    .filter((key) => fileOfKey.has(key));
  const prefixed = [...text.matchAll(/`([a-z]+\.[a-z_.]*)\$\{/g)].flatMap(([, prefix = ""]) =>
    [...fileOfKey.keys()].filter((key) => key.startsWith(prefix)),
  );
  return [...whole, ...prefixed];
}

/** The words files that a file and its imports use. */
function wordFilesOf(path: string): Set<string> {
  return new Set([...withImports(path)].flatMap(keys).map((key) => fileOfKey.get(key) ?? ""));
}

test.each(Object.entries(pages))("%s loads the words files that it uses, and no others", (page, loaded) => {
  const used = new Set([...wordFilesOf("App.svelte"), ...wordFilesOf(`pages/${page}.svelte`)]);
  expect([...loaded].sort()).toEqual([...used].sort());
});

test("every page is listed with its words files", () => {
  const files = Object.keys(sources).flatMap((path) => /^pages\/(\w+)\.svelte$/.exec(path)?.[1] ?? []);
  expect(Object.keys(pages).sort()).toEqual(files.sort());
});

/** The file that a path without the last extension names. */
function sourceOf(path: string): string {
  return path in sources ? path : `${path}.ts`;
}

/** The components that a module loads later: the page that uses it, the component and the words files with it. */
function lazyComponents(module: string, page: keyof typeof pages): [string, string, string[]][] {
  const loaders = (sources[module] ?? "").matchAll(/import\("(\.[./\w]+\.svelte)"\)((?:,\s+"\w+")*)/g);
  return [...loaders].map(([, path = "", files = ""]) => [
    sourceOf(new URL(path, `file:///${module}`).pathname.slice(1)),
    page,
    [...pages[page], ...(files.match(/\w+/g) ?? [])],
  ]);
}

const lazy = [
  ...lazyComponents("table/lazyComponents.ts", "Table"),
  ...lazyComponents("setup/lazyComponents.ts", "NewTable"),
];

test.each(lazy)("%s of the page %s is loaded with the words files that it uses", (path, _page, loaded) => {
  expect([...wordFilesOf(path)].filter((file) => !loaded.includes(file))).toEqual([]);
});

test("lazy components are found in the source", () => {
  expect(lazy.length).toBeGreaterThan(10);
  expect(lazy.filter(([path]) => !(path in sources))).toEqual([]);
  expect(new Set(lazy.map(([, page]) => page))).toEqual(new Set(["Table", "NewTable"]));
});
