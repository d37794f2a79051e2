import type { Actions } from '../state/actions.ts';
import type { Point } from '../model/document.ts';

/** Puts copied nodes onto the clipboard; null: nothing was copied. */
export async function copyText(text: string | null): Promise<void> {
  if (text === null) return;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without HTTPS the clipboard takes nothing; a paste on this page knows what was copied here.
  }
}

export async function pasteAt(actions: Actions, at: Point): Promise<void> {
  let text: string | null = null;
  try {
    text = await navigator.clipboard.readText();
  } catch {
    // Not allowed: what was copied on this page is known.
  }
  if (text === null) actions.pasteLast(at);
  else actions.pasteText(text, at);
}
