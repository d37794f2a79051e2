import { computeBoxes } from '../model/layout/boxes.ts';
import { emptySelection, type Selection } from '../model/edit/history.ts';
import { getTitleById } from '../model/title.ts';
import type { Editor } from './editor.ts';
import type { Viewport } from './viewport.ts';
import { tPlural } from '../../i18n/index.ts';

export type ActionContext = ReturnType<typeof createActionContext>;

/** The context of the actions on the canvas. `warn` reports why an action is not possible. */
export function createActionContext(editor: Editor, warn: (text: string) => void) {
  const { catalog } = editor;
  let viewport: Viewport | null = null;
  return {
    editor,
    attach: (given: Viewport | null): void => {
      viewport = given;
    },
    /** Null: the canvas is not mounted. */
    viewport: (): Viewport | null => viewport,
    /** @throws when the canvas is not mounted. */
    view: (): Viewport => {
      if (viewport === null) throw new Error('The canvas is not mounted.');
      return viewport;
    },
    title: (id: string): string => getTitleById(editor.doc().nodes, id, catalog),
    refuse: (reason: string): false => {
      warn(reason);
      editor.announce(reason);
      return false;
    },
    /** The one node that the keyboard acts on. */
    current: (): string | null => {
      const { nodes } = editor.selection();
      return nodes.size === 0 ? null : [...nodes].at(-1)!;
    },
    reveal: (ids: Iterable<string>, how: 'fit' | 'reveal' = 'reveal'): void => {
      const boxes = computeBoxes(editor.doc(), catalog);
      const targets = [...ids].flatMap((id) => boxes.get(id) ?? editor.doc().notes.get(id) ?? []);
      if (targets.length > 0) viewport?.show(targets, how);
    },
  };
}

export function selectOnly(selection: Partial<Selection>): Selection {
  return { ...emptySelection, ...selection };
}

const COUNTS = {
  node: (count: number) => tPlural(count, 'node', '{{count}} nodes'),
  comment: (count: number) => tPlural(count, 'comment', '{{count}} comments'),
  connection: (count: number) => tPlural(count, 'connection', '{{count}} connections'),
};

/** `node` or `3 nodes`. */
export function formatCount(count: number, what: keyof typeof COUNTS): string {
  return COUNTS[what](count);
}
