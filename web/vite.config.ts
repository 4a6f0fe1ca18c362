import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const server = "127.0.0.1:8000";

/** Lets the browser show the title before it has the style sheets, which `main.ts` applies. */
const titleFirst: Plugin = {
  name: "title-first",
  transformIndexHtml: {
    order: "post",
    handler: (html) => html.replaceAll('<link rel="stylesheet"', '<link rel="preload" as="style"'),
  },
};

export default defineConfig({
  plugins: [svelte(), svelteTesting(), titleFirst],
  build: {
    outDir: "../src/liarsdice/server/page",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content security policy of the server forbids data: URLs
    manifest: "chunks.json",
    modulePreload: { polyfill: false },
    target: "es2022",
    // Hashes only, as every import would repeat the names of sources. `chunks.json` maps sources to files.
    rolldownOptions: { output: { chunkFileNames: "assets/[hash].js", assetFileNames: "assets/[hash][extname]" } },
  },
  server: {
    // tests read the sentences that both renderers must say; the page has the puzzles and sentences of the package
    fs: {
      allow: [".", "../tests/golden", "../src/liarsdice/analysis/puzzles", "../src/liarsdice/core/text/sentences"],
    },
    proxy: {
      "/api": `http://${server}`,
      "/ws": { target: `ws://${server}`, ws: true },
    },
  },
  test: {
    environment: "jsdom",
    isolate: false, // a document and the modules of the page for each thread, not for each file
    pool: "threads",
    include: ["src/**/*.test.ts"],
    setupFiles: ["src/testing/setup.ts"],
    testTimeout: 60_000, // the first test of a file compiles the whole page
  },
});
