import { Position, type Edge as FlowEdge, type Node as FlowNode, type NodeHandle } from '@xyflow/react';
import { computeBoxes, type Lane, type PlacedBox } from '../model/layout/boxes.ts';
import type { Catalog } from '../model/catalog.ts';
import type { Doc, Entry, Note } from '../model/document.ts';
import { getHandles, PORT_RADIUS } from '../model/layout/geometry.ts';
import { getGraphIndex, type Edge } from '../model/graph-index.ts';
import type { Selection } from '../model/edit/history.ts';
import { findInput, findOutput, getPorts } from '../model/ports.ts';
import { computeRoutes, type Route } from '../model/layout/routes.ts';
import { isContainer } from '../model/structure.ts';
import { getNodeTitle } from '../model/title.ts';
import { t } from '../../i18n/index.ts';

export type CardNode = FlowNode<{ entry: Entry; lanes: readonly Lane[] }, 'card' | 'container'>;
export type NoteNode = FlowNode<{ note: Note }, 'note'>;
export type CanvasNode = CardNode | NoteNode;
export type CanvasEdge = FlowEdge<
  { edge: Edge; label: string; hasPortLabel: boolean; isBroken: boolean; route: Route | undefined },
  'edge'
>;

/** Node ids contain no slash. */
const NOTE_ID_PREFIX = 'note/';
export const formatNoteElementId = (id: string): string => `${NOTE_ID_PREFIX}${id}`;
export const parseNoteElementId = (id: string): string | null =>
  id.startsWith(NOTE_ID_PREFIX) ? id.slice(NOTE_ID_PREFIX.length) : null;

/**
 * Converts a document to React Flow elements. Unchanged elements keep their identity, so React does not
 * render them again. Sizes and ports are included, so React Flow does not measure them.
 */
export class FlowElements {
  readonly #catalog: Catalog;
  #nodes = new Map<string, CanvasNode>();
  #edges = new Map<string, CanvasEdge>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  nodes(doc: Doc, selection: Selection): CanvasNode[] {
    const boxes = computeBoxes(doc, this.#catalog);
    const { bodyPositions, containers, bodyNodes } = getGraphIndex(doc, this.#catalog);
    const next = new Map<string, CanvasNode>();
    for (const note of doc.notes.values()) {
      const node = this.#note(note, selection.notes.has(note.id));
      next.set(node.id, node);
    }
    const add = (entry: Entry, parent: string | undefined): void => {
      const isSelected = selection.nodes.has(entry.id);
      next.set(
        entry.id,
        this.#card(
          entry,
          boxes.get(entry.id)!,
          parent,
          parent === undefined ? undefined : boxes.get(parent),
          isSelected,
        ),
      );
    };
    for (const entry of doc.nodes.values()) if (!bodyPositions.has(entry.id)) add(entry, undefined);
    // The nodes in a container are listed after it.
    for (const container of containers.toReversed())
      for (const nodes of bodyNodes.get(container)!.values())
        for (const id of nodes) add(doc.nodes.get(id)!, container);
    this.#nodes = next;
    return [...next.values()];
  }

  edges(doc: Doc, selection: Selection): CanvasEdge[] {
    const next = new Map<string, CanvasEdge>();
    const routes = computeRoutes(doc, this.#catalog);
    for (const edge of getGraphIndex(doc, this.#catalog).edges) {
      const route = routes.get(edge.id);
      const previous = this.#edges.get(edge.id);
      const selected = selection.edges.has(edge.id);
      const source = findOutput(getPorts(doc.nodes.get(edge.from)!, this.#catalog), edge.port);
      const target = findInput(getPorts(doc.nodes.get(edge.to)!, this.#catalog), edge.toPort);
      const isBroken = source === undefined || target === undefined;
      const isUnchanged =
        previous !== undefined &&
        previous.selected === selected &&
        previous.data!.isBroken === isBroken &&
        previous.data!.edge.kind === edge.kind &&
        previous.data!.route?.path === route?.path;
      next.set(edge.id, isUnchanged ? previous : this.#edge(doc, edge, selected, isBroken, route));
    }
    this.#edges = next;
    return [...next.values()];
  }

  #card(
    entry: Entry,
    box: PlacedBox,
    parent: string | undefined,
    parentBox: PlacedBox | undefined,
    selected: boolean,
  ): CardNode {
    const x = box.x - (parentBox?.x ?? 0);
    const y = box.y - (parentBox?.y ?? 0);
    const previous = this.#nodes.get(entry.id) as CardNode | undefined;
    if (
      previous !== undefined &&
      previous.data.entry === entry &&
      previous.selected === selected &&
      previous.parentId === parent &&
      previous.position.x === x &&
      previous.position.y === y &&
      previous.width === box.width &&
      previous.height === box.height &&
      areLanesEqual(previous.data.lanes, box.lanes ?? [])
    )
      return previous;
    const { width, height } = box;
    const type = this.#catalog.get(entry.type)?.name ?? entry.type;
    return {
      id: entry.id,
      type: isContainer(entry.type) ? 'container' : 'card',
      position: { x, y },
      data: { entry, lanes: box.lanes ?? [] },
      width,
      height,
      measured: { width, height },
      handles: this.#handles(entry, box),
      selected,
      ariaRole: 'group',
      ariaLabel: `${getNodeTitle(entry, this.#catalog)}, ${type}`,
      ...(parent === undefined ? {} : { parentId: parent }),
    };
  }

  #handles(entry: Entry, size: PlacedBox): NodeHandle[] {
    return getHandles(entry, this.#catalog, size).map(({ port, side, x, y }) => ({
      id: port,
      type: side === 'in' ? 'target' : 'source',
      position: getHandlePosition(side),
      x: x - PORT_RADIUS,
      y: y - PORT_RADIUS,
      width: 2 * PORT_RADIUS,
      height: 2 * PORT_RADIUS,
    }));
  }

  #note(note: Note, selected: boolean): NoteNode {
    const previous = this.#nodes.get(formatNoteElementId(note.id)) as NoteNode | undefined;
    if (previous !== undefined && previous.data.note === note && previous.selected === selected)
      return previous;
    const { x, y, width, height } = note;
    return {
      id: formatNoteElementId(note.id),
      type: 'note',
      position: { x, y },
      data: { note },
      width,
      height,
      measured: { width, height },
      selected,
      zIndex: -1,
      ariaRole: 'group',
      ariaLabel: t('Comment'),
    };
  }

  #edge(doc: Doc, edge: Edge, selected: boolean, isBroken: boolean, route: Route | undefined): CanvasEdge {
    const outputs = getPorts(doc.nodes.get(edge.from)!, this.#catalog).outputs;
    // The names of other ports are drawn next to the port.
    const isNamed = edge.port === 'error' || isBroken;
    const hasSource = findOutput(getPorts(doc.nodes.get(edge.from)!, this.#catalog), edge.port) !== undefined;
    const inputs = getPorts(doc.nodes.get(edge.to)!, this.#catalog).inputs;
    const hasTarget = inputs.some(({ name }) => name === edge.toPort);
    return {
      id: edge.id,
      type: 'edge',
      source: edge.from,
      target: edge.to,
      // An edge of a port that no longer exists is drawn at the first port, marked as broken.
      sourceHandle: hasSource ? edge.port : (outputs[0]?.name ?? null),
      targetHandle: hasTarget ? edge.toPort : (inputs[0]?.name ?? null),
      data: {
        edge,
        label: isNamed && edge.kind !== 'order' ? edge.port : '',
        hasPortLabel: outputs.length > 1,
        isBroken,
        route,
      },
      selected,
      focusable: false,
    };
  }
}

export function getHandlePosition(side: 'in' | 'out' | 'error'): Position {
  return side === 'in' ? Position.Left : Position.Right;
}

function areLanesEqual(a: readonly Lane[], b: readonly Lane[]): boolean {
  return (
    a.length === b.length &&
    a.every((lane, i) => {
      const other = b[i]!;
      return (
        lane.body === other.body &&
        lane.y === other.y &&
        lane.width === other.width &&
        lane.height === other.height
      );
    })
  );
}
