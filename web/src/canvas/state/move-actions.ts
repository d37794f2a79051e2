import { align, findFreePosition, moveBy, moveTo, type Alignment } from '../model/edit/arrange.ts';
import { computeLayout } from '../model/layout/auto-layout.ts';
import { findBodyAt, computeBoxes } from '../model/layout/boxes.ts';
import type { Point } from '../model/document.ts';
import { findMoveError, moveIntoBody, moveOut } from '../model/edit/edit-bodies.ts';
import { CARD_HEAD, CARD_WIDTH, GRID } from '../model/layout/geometry.ts';
import { getGraphIndex, listDescendants, type BodyPosition } from '../model/graph-index.ts';
import type { Direction } from '../model/neighbors.ts';
import { formatCount, type ActionContext } from './action-context.ts';
import { t } from '../../i18n/index.ts';

/** Moving and arranging nodes and comments. */
export function createMoveActions({ editor, current, refuse, reveal, title, viewport }: ActionContext) {
  const { catalog } = editor;

  /** Moves by drag. Nodes dropped in a body are moved into it, nodes dropped outside out of it. */
  function drop(moved: ReadonlyMap<string, Point>, notes: ReadonlyMap<string, Point>, pointer: Point): void {
    const doc = editor.doc();
    const { bodyPositions } = getGraphIndex(doc, catalog);
    const ids = new Set(moved.keys());
    // Nodes that move with their container stay in it.
    const outer = [...moved.keys()].filter(
      (id) =>
        !listDescendants(
          getGraphIndex(doc, catalog),
          [...ids].filter((one) => one !== id),
        ).has(id),
    );
    const target = findBodyAt(
      doc,
      catalog,
      pointer,
      new Set([...ids, ...listDescendants(getGraphIndex(doc, catalog), ids)]),
    );
    const label = t('Move {{what}}', { what: formatCount(outer.length + notes.size, 'node') });
    if (target !== null && outer.length > 0) {
      const error = findMoveError(doc, catalog, outer, target);
      if (error === null) {
        const ordered = outer.toSorted((a, b) => moved.get(a)!.x - moved.get(b)!.x);
        const stays = outer.every((id) => sameBody(bodyPositions.get(id), target));
        editor.change(
          stays
            ? t('Reorder nodes')
            : t('Move {{what}} into {{container}}', {
                what: formatCount(outer.length, 'node'),
                container: title(target.container),
              }),
          (before) => moveTo(moveIntoBody(before, catalog, ordered, target), catalog, new Map(), notes),
        );
        return;
      }
      if (outer.some((id) => bodyPositions.has(id))) return void refuse(error);
    }
    editor.change(
      label,
      (before) => {
        const out = new Map([...moved].filter(([id]) => outer.includes(id) && bodyPositions.has(id)));
        const freed = out.size === 0 ? before : moveOut(before, catalog, out);
        return moveTo(freed, catalog, new Map([...moved].filter(([id]) => outer.includes(id))), notes);
      },
      { announce: '' },
    );
  }

  function sameBody(a: BodyPosition | undefined, b: BodyPosition): boolean {
    return a !== undefined && a.container === b.container && a.body === b.body;
  }

  function moveSelectionBy(direction: Direction, steps = 1): void {
    const { nodes, notes } = editor.selection();
    const doc = editor.doc();
    const id = current();
    const bodyPosition = id === null ? undefined : getGraphIndex(doc, catalog).bodyPositions.get(id);
    if (bodyPosition !== undefined && nodes.size === 1) {
      if (direction === 'up' || direction === 'down') return;
      const next = direction === 'left' ? bodyPosition.index - 1 : bodyPosition.index + 2;
      if (next < 0) return;
      editor.change(t('Reorder nodes'), (before) =>
        moveIntoBody(before, catalog, [id!], { ...bodyPosition, index: next }),
      );
      return;
    }
    const d = GRID * steps;
    const by = { left: { x: -d, y: 0 }, right: { x: d, y: 0 }, up: { x: 0, y: -d }, down: { x: 0, y: d } }[
      direction
    ];
    editor.change(
      t('Move {{what}}', { what: formatCount(nodes.size + notes.size, 'node') }),
      (before) => moveBy(before, catalog, nodes, notes, by),
      {
        merge: 'nudge',
        announce: '',
      },
    );
  }

  return {
    drop,
    nudge: moveSelectionBy,
    /** Out of its body, below its container. */
    takeOut: (): void => {
      const id = current();
      const doc = editor.doc();
      const bodyPosition = id === null ? undefined : getGraphIndex(doc, catalog).bodyPositions.get(id);
      if (id === null || bodyPosition === undefined) return;
      const around = computeBoxes(doc, catalog).get(bodyPosition.container)!;
      const outer = getGraphIndex(doc, catalog).bodyPositions.get(bodyPosition.container);
      const preferred = {
        x: around.x,
        y: around.y + around.height + 2 * GRID,
        width: CARD_WIDTH,
        height: CARD_HEAD,
      };
      editor.change(t('Move out of {{container}}', { container: title(bodyPosition.container) }), (before) =>
        outer === undefined
          ? moveOut(before, catalog, new Map([[id, findFreePosition(before, catalog, preferred)]]))
          : moveIntoBody(before, catalog, [id], { ...outer, index: outer.index + 1 }),
      );
      reveal([id]);
    },
    arrange: (): void => {
      const { nodes } = editor.selection();
      const isSome = nodes.size > 1;
      editor.change(t('Arrange'), (doc) => computeLayout(doc, catalog, isSome ? nodes : undefined));
      if (!isSome) viewport()?.show([...computeBoxes(editor.doc(), catalog).values()], 'fit');
    },
    align: (how: Alignment): void => {
      const { nodes } = editor.selection();
      editor.change(t('Align'), (doc) => align(doc, catalog, nodes, how));
    },
  };
}
