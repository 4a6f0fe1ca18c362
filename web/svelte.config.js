/** @type {import("@sveltejs/vite-plugin-svelte").SvelteConfig} */
export default {
  compilerOptions: {
    runes: true,
    // shorter than the default prefix "svelte-", as the class is on most elements
    cssHash: ({ hash, filename }) => `s-${hash(filename)}`,
  },
};
