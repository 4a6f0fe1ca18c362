/** Opens the explanation of words. Its component is loaded at the first tap. */
import { mount, unmount } from "svelte";

/** Shows sentences beside the button that was tapped. `title` is their name for screen readers. */
export async function showTerms(opener: HTMLElement, title: string, sentences: readonly string[]): Promise<void> {
  const { default: TermNote } = await import("./TermNote.svelte");
  const note = mount(TermNote, {
    target: opener.closest("dialog") ?? document.body, // nothing outside an open dialog can be reached
    props: {
      opener,
      title,
      sentences,
      close: () => {
        void unmount(note);
      },
    },
  });
}
