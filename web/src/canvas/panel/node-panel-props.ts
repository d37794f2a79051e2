import type { Issue } from 'weft-client';
import type { Editor } from '../state/editor.ts';
import type { Autosave } from '../state/autosave.ts';
import type { Entry } from '../model/document.ts';

/** The props of the panel next to the canvas: the node, and the functions that change it. */
export type NodePanelProps = {
  readonly node: Entry;
  readonly issues: readonly Issue[];
  readonly editor: Editor;
  readonly saver: Autosave;
  readonly onClose: () => void;
  /** Changes the id of a node and all references to it. */
  readonly onRename: (id: string, next: string) => void;
};
