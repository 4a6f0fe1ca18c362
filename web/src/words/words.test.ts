import { expect, test, describe } from "vitest";
import { files, LANGUAGES } from "../lib/i18n.svelte";
import pages from "./pages.json";

type Sentence = string | Record<string, string>;

/** The texts of each words file, by `language/file`. */
const texts: Record<string, Record<string, Sentence>> = Object.fromEntries(
  await Promise.all(
    Object.entries(files).map(async ([name, load]) => [name, (await load()) as Record<string, Sentence>] as const),
  ),
);

describe("words", () => {
  const others = Object.keys(LANGUAGES).filter((language) => language !== "en");
  const fileNames = filesOf("en");

  function filesOf(language: string): string[] {
    return Object.keys(texts).flatMap((name) => (name.startsWith(`${language}/`) ? [name.split("/")[1] ?? ""] : []));
  }

  function words(language: string, file: string): Record<string, Sentence> {
    return texts[`${language}/${file}`] ?? {};
  }

  function placeholders(text: string): string[] {
    return [...new Set(text.match(/\{\w+\}/g))].sort();
  }

  /** The placeholders of a text. The singular form may lack some: it may say "one" in place of {count}. */
  function requiredPlaceholders(sentence: Sentence): string[] {
    return placeholders(typeof sentence === "string" ? sentence : (sentence.other ?? ""));
  }

  test("every language has a folder, and there is no other", () => {
    const folders = Object.keys(texts).map((name) => name.split("/")[0]);
    expect(new Set(folders)).toEqual(new Set(Object.keys(LANGUAGES)));
  });

  test("no key is in two files", () => {
    const keys = fileNames.flatMap((file) => Object.keys(words("en", file)));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test.each(others)("%s has the files that English has, and no other", (language) => {
    expect(filesOf(language).sort()).toEqual([...fileNames].sort());
  });

  test.each(others)("%s has the keys of English, and no others", (language) => {
    for (const file of fileNames) {
      expect(Object.keys(words(language, file)).sort(), file).toEqual(Object.keys(words("en", file)).sort());
    }
  });

  test.each(others)("%s has the placeholders of English in each text", (language) => {
    for (const file of fileNames) {
      for (const [key, sentence] of Object.entries(words("en", file))) {
        expect([key, requiredPlaceholders(words(language, file)[key] ?? "")]).toEqual([
          key,
          requiredPlaceholders(sentence),
        ]);
      }
    }
  });

  test.each(Object.keys(LANGUAGES))(
    "%s has the plural forms that it needs, and no form has a placeholder of its own",
    (language) => {
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
      for (const [key, sentence] of fileNames.flatMap((file) => Object.entries(words(language, file)))) {
        if (typeof sentence === "string") {
          expect(sentence, `${key}: a noun after a count has forms`).not.toMatch(/\{count\} \p{Ll}+s\b/u);
          continue;
        }
        expect(["zero", ...pluralCategories], key).toEqual(expect.arrayContaining(Object.keys(sentence)));
        expect(Object.keys(sentence), key).toEqual(expect.arrayContaining(["one", "other"]));
        for (const form of Object.values(sentence)) {
          expect(requiredPlaceholders(sentence), key).toEqual(expect.arrayContaining(placeholders(form)));
        }
      }
    },
  );
});

describe("pages", () => {
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
  const fileOfKey = new Map(
    Object.entries(texts).flatMap(([name, words]) =>
      Object.keys(words).map((key) => [key, name.split("/")[1] ?? ""] as const),
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

  test("every key is used: complete, as what a template makes, or as one of them with a suffix", () => {
    const source = Object.values(sources).join("\n");
    const complete = new Set([...source.matchAll(/"([a-z][\w.]*)"/g)].map(([, key]) => key));
    const made = [...source.matchAll(/`([a-z]+\.(?:[\w.]|\$\{[^`}]*\})*)`/g)].map(
      ([, template = ""]) => new RegExp(`^${template.replaceAll(".", "\\.").replace(/\$\{[^}]*\}/g, "[^.]+")}$`),
    );
    const suffixes = [...source.matchAll(/`\$\{\w+\}(\.[a-z]+)`/g)].map(([, suffix = ""]) => suffix);
    const isUsed = (key: string): boolean =>
      complete.has(key) ||
      made.some((pattern) => pattern.test(key)) ||
      suffixes.some((suffix) => key.endsWith(suffix) && isUsed(key.slice(0, -suffix.length)));
    expect([...fileOfKey.keys()].filter((key) => !isUsed(key))).toEqual([]);
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
});
