import {
  ReactFlow,
  SelectionMode,
  type Connection,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
  type OnConnectEnd,
  type Viewport as FlowViewport,
} from '@xyflow/react';
import {
  useCallback,
  useContext,
  useMemo,
  useRef,
  useState,
  type DragEvent,
  type MouseEvent as ReactMouseEvent,
} from 'react';
import { useStore } from '../../data/store.ts';
import { findBodyAt } from '../model/layout/boxes.ts';
import type { Point } from '../model/document.ts';
import { findConnectError } from '../model/edit/edit-connections.ts';
import { GRID } from '../model/layout/geometry.ts';
import { useCanvas, useStoreSelector } from './canvas-context.ts';
import { Card, FarZoomContext } from './node-card/node-card.tsx';
import { Container } from './node-card/container-node.tsx';
import { LowZoomEdges } from './layers/low-zoom-edges.tsx';
import { readDraggedType } from './dragged-type.ts';
import { FlowElements, parseNoteElementId, type CanvasNode, type CanvasEdge } from './flow-elements.ts';
import { Dots } from './layers/dots.tsx';
import { EdgeView } from './edge.tsx';
import { Minimap } from './layers/minimap.tsx';
import { NoteCard } from './note.tsx';
import { useViewport } from './use-viewport.ts';

const nodeTypes = { card: Card, container: Container, note: NoteCard };
const edgeTypes = { edge: EdgeView };
const GRID_STEP: [number, number] = [GRID, GRID];
const PRO_OPTIONS = { hideAttribution: true };
type Resized = { readonly id: string; readonly width: number; readonly height: number };

const NO_EDGES: CanvasEdge[] = [];
const PAN_BUTTONS = { hand: [0, 1, 2], select: [1, 2] };

/** The nodes and edges. The document holds all edits; only a drag in progress is local state. */
export function Flow({
  viewport,
  onMoving,
}: {
  viewport: FlowViewport;
  onMoving: (how: 'drag' | 'wheel' | null) => void;
}) {
  const { editor, actions, ui, isReadOnly, edgeMarks } = useCanvas();
  const { catalog } = editor;
  const { doc, selection } = useStore(editor.history);
  const tool = useStoreSelector(ui, (state) => state.tool);
  const isMapOpen = useStoreSelector(ui, (state) => state.isMapOpen);
  const [elements] = useState(() => new FlowElements(catalog));
  const [drag, setDrag] = useState<ReadonlyMap<string, Point> | null>(null);
  const [resized, setResized] = useState<Resized | null>(null);
  const { toCanvas } = useViewport();

  const placed = useMemo(() => elements.nodes(doc, selection), [elements, doc, selection]);
  const isFar = useContext(FarZoomContext);
  // Comparisons mark single edges; they are small enough for that.
  const isSimplified = isFar && edgeMarks.size === 0;
  const edges = useMemo(
    () => (isSimplified ? NO_EDGES : elements.edges(doc, selection)),
    [elements, doc, selection, isSimplified],
  );
  const nodes = useMemo(
    () =>
      drag === null && resized === null
        ? placed
        : placed.map((node) => {
            const position = drag?.get(node.id);
            const { id, ...size } = resized ?? { id: '' };
            if (position === undefined && id !== node.id) return node;
            const moved = position === undefined ? {} : { position, dragging: true };
            const sized = id === node.id ? { ...size, measured: size } : {};
            return { ...node, ...moved, ...sized } as CanvasNode;
          }),
    [placed, drag, resized],
  );

  const onNodesChange = useCallback(
    (changes: NodeChange<CanvasNode>[]) => {
      const moved: [string, Point][] = [];
      const now = editor.selection();
      let nextSelection: { nodes: Set<string>; notes: Set<string> } | null = null;
      for (const change of changes) {
        if (change.type === 'position' && change.position !== undefined && change.dragging === true)
          moved.push([change.id, change.position]);
        // Resizing a comment at its upper or left side also changes its position.
        if (change.type === 'position' && change.position !== undefined && change.dragging === undefined)
          moved.push([change.id, change.position]);
        if (change.type === 'dimensions' && change.resizing !== undefined) {
          if (change.resizing && change.dimensions !== undefined)
            setResized({ id: change.id, ...change.dimensions });
          if (!change.resizing) {
            setResized(null);
            setDrag(null);
          }
        }
        if (change.type === 'select') {
          nextSelection ??= { nodes: new Set(now.nodes), notes: new Set(now.notes) };
          const note = parseNoteElementId(change.id);
          const [set, id] = note === null ? [nextSelection.nodes, change.id] : [nextSelection.notes, note];
          if (change.selected) set.add(id);
          else set.delete(id);
        }
      }
      if (nextSelection !== null) editor.select({ ...now, ...nextSelection });
      if (moved.length > 0 && !isReadOnly) setDrag((before) => new Map([...(before ?? []), ...moved]));
    },
    [editor, isReadOnly],
  );

  const onEdgesChange = useCallback(
    (changes: EdgeChange<CanvasEdge>[]) => {
      const now = editor.selection();
      const selectedEdges = new Set(now.edges);
      for (const change of changes)
        if (change.type === 'select') {
          if (change.selected) selectedEdges.add(change.id);
          else selectedEdges.delete(change.id);
        }
      editor.select({ ...now, edges: selectedEdges });
    },
    [editor],
  );

  const endDrag = useCallback(
    (event: MouseEvent | TouchEvent | ReactMouseEvent, moved: readonly CanvasNode[]) => {
      setDrag(null);
      if (isReadOnly) return;
      const point = 'changedTouches' in event ? event.changedTouches[0] : (event as MouseEvent);
      if (point === undefined) return;
      const nodes = new Map<string, Point>();
      const notes = new Map<string, Point>();
      const movedById = new Map(moved.map((node) => [node.id, node]));
      let isMoved = false;
      for (const node of moved) {
        const was = placed.find(({ id }) => id === node.id);
        if (was !== undefined && (was.position.x !== node.position.x || was.position.y !== node.position.y))
          isMoved = true;
        const note = parseNoteElementId(node.id);
        if (note === null) nodes.set(node.id, onCanvas(node, movedById, placed));
        else notes.set(note, node.position);
      }
      if (isMoved) actions.drop(nodes, notes, toCanvas({ x: point.clientX, y: point.clientY }));
    },
    [actions, isReadOnly, placed, toCanvas],
  );

  const isValidConnection = useCallback(
    (connection: Connection | CanvasEdge) =>
      findConnectError(editor.doc(), catalog, getEnds(connection)) === null,
    [editor, catalog],
  );
  const onConnect = useCallback(
    (connection: Connection) => void actions.connect(getEnds(connection)),
    [actions],
  );
  /** A connection that is dropped on the empty canvas opens the node picker. */
  const onConnectEnd: OnConnectEnd = useCallback(
    (event, state: FinalConnectionState) => {
      if (state.isValid === true || state.fromHandle === null || state.fromNode === null) return;
      const point = 'changedTouches' in event ? event.changedTouches[0] : event;
      if (point === undefined) return;
      const screen = { x: point.clientX, y: point.clientY };
      const position = toCanvas(screen);
      const bodyPosition = findBodyAt(editor.doc(), catalog, position);
      const under = state.toNode?.id ?? findNodeAt(screen);
      // Dropped on a node, but not on one of its ports. The inside of a container is not part of it.
      if (under !== undefined && under !== bodyPosition?.container && parseNoteElementId(under) === null) {
        const ends =
          state.fromHandle.type === 'source'
            ? { from: state.fromNode.id, port: state.fromHandle.id ?? undefined, to: under }
            : { from: under, to: state.fromNode.id, toPort: state.fromHandle.id ?? undefined };
        actions.connect(ends);
        return;
      }
      const port = state.fromHandle.id ?? undefined;
      const end = { node: state.fromNode.id, port };
      const target = state.fromHandle.type === 'source' ? { from: end } : { to: end };
      actions.openAdd({ screen, position, ...target, ...(bodyPosition === null ? {} : { bodyPosition }) });
    },
    [actions, editor, catalog, toCanvas],
  );

  const onDrop = useCallback(
    (event: DragEvent) => {
      const type = readDraggedType(event);
      if (type === null || isReadOnly) return;
      event.preventDefault();
      const position = toCanvas({ x: event.clientX, y: event.clientY });
      const bodyPosition = findBodyAt(editor.doc(), catalog, position);
      const edge = bodyPosition === null ? findEdgeAt(event.clientX, event.clientY) : undefined;
      actions.add(type, {
        position: { x: position.x - 110, y: position.y - 30 },
        ...(bodyPosition === null ? {} : { bodyPosition }),
        ...(edge === undefined ? {} : { edge }),
      });
      actions.focus();
    },
    [actions, editor, catalog, isReadOnly, toCanvas],
  );

  const openMenu = useCallback(
    (event: ReactMouseEvent | MouseEvent, on: 'pane' | 'selection' | { edge: string }) => {
      event.preventDefault();
      if (isReadOnly) return;
      ui.show({
        menu: {
          screen: { x: event.clientX, y: event.clientY },
          on: typeof on === 'string' ? { kind: on } : { kind: 'edge', id: on.edge },
        },
      });
    },
    [ui, isReadOnly],
  );
  const start = useRef<Point | null>(null);
  const moved = useRef<'drag' | 'wheel'>('wheel');

  return (
    <ReactFlow<CanvasNode, CanvasEdge>
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      defaultViewport={viewport}
      minZoom={0.05}
      maxZoom={2}
      onlyRenderVisibleElements
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onNodeDragStop={(event, _node, moved) => endDrag(event, moved)}
      onSelectionDragStop={endDrag}
      onConnect={onConnect}
      onConnectEnd={onConnectEnd}
      isValidConnection={isValidConnection}
      connectionRadius={28}
      onDragOver={(event) => {
        if (readDraggedType(event) !== null) event.preventDefault();
      }}
      onDrop={onDrop}
      onNodeDoubleClick={(_event, node) => {
        if (isReadOnly) return;
        const note = parseNoteElementId(node.id);
        if (note === null) ui.show({ renaming: node.id });
        else ui.show({ writing: note });
      }}
      onNodeContextMenu={(event, node) => {
        const { nodes: selectedNodes, notes } = editor.selection();
        const note = parseNoteElementId(node.id);
        if (note === null ? !selectedNodes.has(node.id) : !notes.has(note))
          editor.select(note === null ? { nodes: new Set([node.id]) } : { notes: new Set([note]) });
        openMenu(event, 'selection');
      }}
      onSelectionContextMenu={(event) => openMenu(event, 'selection')}
      onEdgeContextMenu={(event, edge) => {
        editor.select({ edges: new Set([edge.id]) });
        openMenu(event, { edge: edge.id });
      }}
      onPaneContextMenu={(event) => {
        // The right button also pans: a menu opens only if it did not move.
        const from = start.current;
        if (from !== null && Math.hypot(event.clientX - from.x, event.clientY - from.y) > 4)
          event.preventDefault();
        else openMenu(event, 'pane');
      }}
      // Only when it moves: a press alone may be a click on what lies there.
      onMoveStart={(event) => (moved.current = event?.type === 'mousedown' ? 'drag' : 'wheel')}
      onMove={() => onMoving(moved.current)}
      onMoveEnd={() => onMoving(null)}
      onPointerDownCapture={(event) => (start.current = { x: event.clientX, y: event.clientY })}
      nodesConnectable={!isReadOnly}
      nodesDraggable={!isReadOnly}
      nodesFocusable={false}
      edgesFocusable={false}
      disableKeyboardA11y
      deleteKeyCode={null}
      selectionKeyCode="Shift"
      multiSelectionKeyCode={['Control', 'Meta']}
      panActivationKeyCode="Space"
      selectionOnDrag={tool === 'select'}
      selectionMode={SelectionMode.Partial}
      panOnDrag={PAN_BUTTONS[tool]}
      snapToGrid
      snapGrid={GRID_STEP}
      elevateNodesOnSelect={false}
      zoomOnDoubleClick={false}
      nodeDragThreshold={3}
      proOptions={PRO_OPTIONS}
    >
      {!isFar && <Dots />}
      {isSimplified && <LowZoomEdges drag={drag} />}
      {isMapOpen && <Minimap />}
    </ReactFlow>
  );
}

/** The position of a moved node on the canvas, not relative to its container. */
function onCanvas(
  node: CanvasNode,
  moved: ReadonlyMap<string, CanvasNode>,
  placed: readonly CanvasNode[],
): Point {
  let { x, y } = node.position;
  for (let ancestor = node.parentId; ancestor !== undefined;) {
    const parent: CanvasNode | undefined = moved.get(ancestor) ?? placed.find(({ id }) => id === ancestor);
    x += parent?.position.x ?? 0;
    y += parent?.position.y ?? 0;
    ancestor = parent?.parentId;
  }
  return { x, y };
}

function getEnds({ source, sourceHandle, target, targetHandle }: Connection | CanvasEdge) {
  return { from: source, port: sourceHandle ?? undefined, to: target, toPort: targetHandle ?? undefined };
}

function findNodeAt({ x, y }: Point): string | undefined {
  const node = document.elementFromPoint(x, y)?.closest('.react-flow__node');
  return node?.getAttribute('data-id') ?? undefined;
}

function findEdgeAt(x: number, y: number): string | undefined {
  const element = document.elementsFromPoint(x, y).find((one) => one.closest('.react-flow__edge') !== null);
  return element?.closest('.react-flow__edge')?.getAttribute('data-id') ?? undefined;
}
