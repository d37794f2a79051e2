import { useMemo, type RefObject } from 'react';
import { createStore } from '../../data/store.ts';
import { notListening } from '../../runs/webhook/listening.ts';
import { noNextRuns } from '../state/next-runs.ts';
import { noPins } from '../../runs/pins/pins.ts';
import { createActions, type Actions } from '../state/actions.ts';
import { createEditor, type Editor } from '../state/editor.ts';
import { createRunOverlay } from '../state/run-overlay.ts';
import type { Issues } from '../state/open-issues.ts';
import { createUi } from '../state/ui-state.ts';
import { findFreePosition } from '../model/edit/arrange.ts';
import { computeBoxes } from '../model/layout/boxes.ts';
import type { Diff } from '../model/diff.ts';
import type { Doc } from '../model/document.ts';
import { formatEdgeId, getGraphIndex } from '../model/graph-index.ts';
import { findInput, findOutput, getPorts } from '../model/ports.ts';
import { Canvas } from '../components/canvas.tsx';
import type { CanvasTools, Mark } from '../components/canvas-context.ts';
import { Toolbar } from '../components/toolbar.tsx';

/** Two versions on one canvas, with added, removed and changed elements marked. */
export function DiffCanvas({
  editor,
  diff,
  before,
  after,
  label,
  actionsRef,
}: {
  editor: Editor;
  diff: Diff;
  before: Doc;
  after: Doc;
  label: string;
  actionsRef: RefObject<Actions | null>;
}) {
  const tools = useMemo(() => compare(editor, diff, before, after), [editor, diff, before, after]);
  actionsRef.current = tools.actions;
  return (
    <Canvas key={label} tools={tools} label={label}>
      <Toolbar />
    </Canvas>
  );
}

function compare({ catalog }: Editor, diff: Diff, before: Doc, after: Doc): CanvasTools {
  const boxes = computeBoxes(before, catalog);
  let both: Doc = {
    nodes: after.nodes,
    connections: [...after.connections, ...diff.disconnected],
    notes: after.notes,
    others: [],
  };
  // If the position of a removed node is taken, it is shown next to it.
  for (const entry of diff.removed) {
    const position = findFreePosition(both, catalog, boxes.get(entry.id)!);
    both = { ...both, nodes: new Map(both.nodes).set(entry.id, { ...entry, position }) };
  }
  const marks = new Map<string, Mark>([
    ...diff.added.map(({ id }) => [id, 'added'] as const),
    ...diff.removed.map(({ id }) => [id, 'removed'] as const),
    ...diff.changed.map(({ id }) => [id, 'changed'] as const),
    ...diff.moved.map((id) => [id, 'moved'] as const),
  ]);
  const types = [...catalog.values()];
  const editor = createEditor(types, both);
  const index = getGraphIndex(both, editor.catalog);
  const edgeMarks = new Map<string, Mark>();
  for (const [connections, mark] of [
    [diff.connected, 'added'],
    [diff.disconnected, 'removed'],
  ] as const)
    for (const { from, sourcePort, to, targetPort } of connections) {
      const source = both.nodes.get(from);
      const target = both.nodes.get(to);
      if (source === undefined || target === undefined) continue;
      const port = findOutput(getPorts(source, editor.catalog), sourcePort)?.name ?? sourcePort ?? 'out';
      const toPort = findInput(getPorts(target, editor.catalog), targetPort)?.name ?? targetPort ?? 'in';
      const id = formatEdgeId(from, port, to, toPort);
      if (index.byId.has(id)) edgeMarks.set(id, mark);
    }
  const ui = createUi({ isMapOpen: false });
  return {
    editor,
    actions: createActions(editor, ui, () => undefined),
    ui,
    overlay: createRunOverlay(requestAnimationFrame),
    issues: createStore<Issues>(new Map()),
    pinned: noPins,
    listening: notListening,
    nextRuns: noNextRuns,
    nodeRuns: null,
    marks,
    edgeMarks,
    isReadOnly: true,
  };
}
