import { findFreePosition } from '../model/edit/arrange.ts';
import { computeBounds, computeBoxes } from '../model/layout/boxes.ts';
import { paste, copySelection, parsePiece, serializePiece } from '../model/edit/clipboard.ts';
import type { Doc, Point } from '../model/document.ts';
import { CARD_HEAD, CARD_WIDTH, GRID } from '../model/layout/geometry.ts';
import { getGraphIndex } from '../model/graph-index.ts';
import { formatCount, selectOnly, type ActionContext } from './action-context.ts';
import { t } from '../../i18n/index.ts';

/** Copying, cutting, pasting and duplicating the selection. `remove` deletes it. */
export function createClipboardActions({ editor, refuse, reveal, view }: ActionContext, remove: () => void) {
  const { catalog } = editor;
  /** The copy of this page, if the clipboard cannot be read. */
  let lastCopied = '';
  let pasted = 0;

  function copiedText(): string | null {
    const { nodes, notes } = editor.selection();
    if (nodes.size + notes.size === 0) return null;
    pasted = 0;
    lastCopied = serializePiece(copySelection(editor.doc(), catalog, nodes, notes));
    editor.announce(t('{{what}} copied', { what: formatCount(nodes.size + notes.size, 'node') }));
    return lastCopied;
  }

  function pasteText(text: string, position?: Point): boolean {
    // Without HTTPS, a button cannot write to the clipboard.
    const piece = parsePiece(text === '' ? lastCopied : text);
    if (piece === null) return refuse(t('The clipboard contains no nodes.'));
    const target = position ?? view().pointer() ?? computePastePosition();
    return putPiece(piece, target, t('Paste'));
  }

  /** The offset grows with each paste, so that repeated copies do not overlap. */
  function computePastePosition(): Point {
    const { x, y } = view().middle();
    const off = 2 * GRID * pasted++;
    return { x: x - CARD_WIDTH / 2 + off, y: y - CARD_HEAD + off };
  }

  function putPiece(piece: Doc, position: Point, label: string): boolean {
    const { doc, nodes, notes } = paste(editor.doc(), catalog, piece, position);
    const isDone = editor.change(label, () => doc, {
      selection: selectOnly({ nodes: new Set(nodes), notes: new Set(notes) }),
      announce: t('{{what}} pasted', { what: formatCount(nodes.length + notes.length, 'node') }),
    });
    if (isDone) reveal([...nodes, ...notes]);
    return isDone;
  }

  function duplicate(): void {
    const { nodes, notes } = editor.selection();
    if (nodes.size + notes.size === 0) return;
    const piece = copySelection(editor.doc(), catalog, nodes, notes);
    const inner = getGraphIndex(piece, catalog).bodyPositions;
    const bounds = computeBounds([
      ...[...computeBoxes(piece, catalog)].filter(([id]) => !inner.has(id)).map(([, box]) => box),
      ...piece.notes.values(),
    ]);
    if (bounds === null) return;
    const { x, y } = findFreePosition(editor.doc(), catalog, {
      ...bounds,
      y: bounds.y + bounds.height + 2 * GRID,
    });
    putPiece(piece, { x, y }, t('Duplicate'));
  }

  return {
    duplicate,
    copiedText,
    pasteText,
    pasteLast: (position?: Point): boolean => pasteText(lastCopied, position),
    cut: (): string | null => {
      const text = copiedText();
      if (text !== null) remove();
      return text;
    },
  };
}
