import type { Issue } from 'weft-client';
import type { Editor } from '../state/editor.ts';
import type { Autosave } from '../state/autosave.ts';
import type { Entry } from '../model/document.ts';

/** What the panel beside the canvas gets: the node, and what it needs to change it. */
export type NodePanelProps = {
  readonly node: Entry;
  readonly issues: readonly Issue[];
  readonly editor: Editor;
  readonly saver: Autosave;
  readonly onClose: () => void;
  /** Gives a node another id; everything that names it follows. */
  readonly onRename: (id: string, next: string) => void;
};
