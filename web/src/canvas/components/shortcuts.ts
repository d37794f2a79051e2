import type { Actions } from '../state/actions.ts';
import type { Editor } from '../state/editor.ts';
import type { Ui } from '../state/ui-state.ts';
import { directions, type Direction } from '../model/neighbors.ts';
import { t } from '../../i18n/index.ts';

export type Shortcut = { readonly keys: readonly string[]; readonly does: string };

/** The rows of the shortcut sheet. `Mod` is Ctrl, or ⌘ on a Mac. */
export const shortcutSheet: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] = [
  {
    title: t('Build'),
    shortcuts: [
      { keys: ['/'], does: t('Add a node after the selected one, or at the pointer') },
      { keys: ['Tab'], does: t('Add a node after the selected one') },
      { keys: ['C'], does: t('Connect the selected node') },
      { keys: ['I'], does: t('Add a node inside the selected one') },
      { keys: ['O'], does: t('Move the selected node out of its container') },
      { keys: ['F2'], does: t('Rename') },
      { keys: ['R'], does: t('Run the selected node') },
      { keys: ['D'], does: t('Disable or enable') },
      { keys: ['N'], does: t('Add a comment') },
      { keys: ['Delete'], does: t('Delete selection') },
    ],
  },
  {
    title: t('Edit'),
    shortcuts: [
      { keys: ['Mod', 'Z'], does: t('Undo') },
      { keys: ['Mod', 'Shift', 'Z'], does: t('Redo') },
      { keys: ['Mod', 'C'], does: t('Copy (works across workflows)') },
      { keys: ['Mod', 'X'], does: t('Cut') },
      { keys: ['Mod', 'V'], does: t('Paste') },
      { keys: ['Mod', 'D'], does: t('Duplicate') },
      { keys: ['Mod', 'A'], does: t('Select all') },
      { keys: ['Mod', 'S'], does: t('Save') },
      { keys: ['Mod', 'F'], does: t('Find in workflow') },
      { keys: ['Mod', 'K'], does: t('Open command palette') },
    ],
  },
  {
    title: t('Navigate'),
    shortcuts: [
      { keys: ['← → ↑ ↓'], does: t('Select the next node in that direction') },
      { keys: ['Mod', 'Shift', '← → ↑ ↓'], does: t('Extend the selection in that direction') },
      { keys: ['Shift', '← → ↑ ↓'], does: t('Move the selection; in a container: reorder nodes') },
      { keys: ['Enter'], does: t('Open the selected node') },
      { keys: ['Escape'], does: t('Clear selection; then Tab leaves the canvas') },
      { keys: ['Shift', 'F10'], does: t('Open the context menu') },
    ],
  },
  {
    title: t('View', { context: 'noun' }),
    shortcuts: [
      { keys: ['1'], does: t('Fit view') },
      { keys: ['2'], does: t('Fit selection') },
      { keys: ['0'], does: t('Zoom to 100%') },
      { keys: ['+'], does: t('Zoom in') },
      { keys: ['-'], does: t('Zoom out') },
      { keys: ['L'], does: t('Auto-layout all nodes, or the selection') },
      { keys: ['M'], does: t('Toggle minimap') },
      { keys: ['P'], does: t('Toggle node palette') },
      { keys: ['V'], does: t('Selection tool; H: pan tool') },
      { keys: ['?'], does: t('Show keyboard shortcuts') },
    ],
  },
];

type Keys = {
  readonly editor: Editor;
  readonly actions: Actions;
  readonly ui: Ui;
  readonly isReadOnly: boolean;
  readonly openPanel: (id: string) => void;
  /** Runs a node other than a trigger. */
  readonly runNode: (id: string) => void;
};

const arrows: Readonly<Record<string, Direction>> = Object.fromEntries(
  directions.map((direction) => [`Arrow${direction[0]!.toUpperCase()}${direction.slice(1)}`, direction]),
);

/** Runs the command of a key on the canvas; returns false if the key has none. */
export function pressKey(event: KeyboardEvent, keys: Keys): boolean {
  const isMod = event.ctrlKey || event.metaKey;
  const arrow = arrows[event.key];
  if (arrow !== undefined && !event.altKey) {
    if (isMod && event.shiftKey) keys.actions.walk(arrow, true);
    else if (event.shiftKey && !keys.isReadOnly) keys.actions.nudge(arrow);
    else if (!isMod) keys.actions.walk(arrow);
    else return false;
    return true;
  }
  if (event.altKey) return false;
  return isMod ? pressWithMod(event, keys) : pressPlain(event, keys);
}

function pressWithMod(event: KeyboardEvent, { editor, actions, ui, isReadOnly }: Keys): boolean {
  const key = event.key.toLowerCase();
  if (key === 'f') ui.show({ isFinding: true });
  else if (key === 'a') actions.selectAll();
  else if (isReadOnly) return false;
  else if (key === 'z' && event.shiftKey) editor.redo();
  else if (key === 'z') editor.undo();
  else if (key === 'y') editor.redo();
  else if (key === 'd') actions.duplicate();
  else return false;
  return true;
}

function pressPlain(
  event: KeyboardEvent,
  { editor, actions, ui, isReadOnly, openPanel, runNode }: Keys,
): boolean {
  const id = actions.current();
  const see: Readonly<Record<string, () => void>> = {
    '1': actions.fit,
    '2': actions.fitSelection,
    '0': () => actions.zoom('one'),
    '+': () => actions.zoom('in'),
    '=': () => actions.zoom('in'),
    '-': () => actions.zoom('out'),
    '?': () => ui.show({ areShortcutsOpen: true }),
    m: () => ui.show({ isMapOpen: !ui.get().isMapOpen }),
    v: () => ui.show({ tool: 'select' }),
    h: () => ui.show({ tool: 'hand' }),
    Escape: () => editor.select({}),
  };
  const build: Readonly<Record<string, () => void>> = {
    '/': () => actions.openAdd(),
    p: () => ui.show({ isPaletteOpen: !ui.get().isPaletteOpen }),
    n: () => actions.addComment(),
    l: actions.arrange,
    d: actions.toggleDisabled,
    Delete: actions.remove,
    Backspace: actions.remove,
  };
  const ofNode: Readonly<Record<string, () => void>> = {
    Enter: () => id !== null && openPanel(id),
    F2: () => ui.show({ renaming: id }),
    c: () => ui.show({ connecting: id }),
    i: () => actions.openInto(),
    o: actions.takeOut,
    r: () => id !== null && runNode(id),
    Tab: () => actions.openAdd(),
  };
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const run =
    see[name] ??
    (isReadOnly ? undefined : (build[name] ?? (id === null || event.shiftKey ? undefined : ofNode[name])));
  if (run === undefined) return false;
  run();
  return true;
}
