import type { Actions } from '../state/actions.ts';
import type { Point } from '../model/document.ts';

/** Writes copied nodes to the clipboard; null: nothing was copied. */
export async function copyText(text: string | null): Promise<void> {
  if (text === null) return;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without HTTPS the clipboard is not available; a paste on this page uses the kept copy.
  }
}

export async function pasteAt(actions: Actions, position: Point): Promise<void> {
  let text: string | null = null;
  try {
    text = await navigator.clipboard.readText();
  } catch {
    // Not permitted: use the copy kept by this page.
  }
  if (text === null) actions.pasteLast(position);
  else actions.pasteText(text, position);
}
