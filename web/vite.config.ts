import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

const server = "127.0.0.1:8000";

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  build: {
    outDir: "../src/liarsdice/server/page",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the server allows no data: addresses
    manifest: "chunks.json",
    modulePreload: { polyfill: false },
    target: "es2022",
    // No source names in file names: every import would repeat them. `chunks.json` says which source is in which file.
    rolldownOptions: { output: { chunkFileNames: "assets/[hash].js", assetFileNames: "assets/[hash][extname]" } },
  },
  server: {
    proxy: {
      "/api": `http://${server}`,
      "/ws": { target: `ws://${server}`, ws: true },
    },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts"],
    setupFiles: ["src/testing/setup.ts"],
    testTimeout: 20_000, // the first test of a file waits for all that the page is made of
  },
});
