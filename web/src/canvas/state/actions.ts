import { parseOperationEntryId } from '../../connectors/operation-entries.ts';
import { findFreePosition } from '../model/edit/arrange.ts';
import { computeBoxes } from '../model/layout/boxes.ts';
import { isTrigger } from '../model/catalog.ts';
import type { Doc, JsonObject, NoteColor, Point } from '../model/document.ts';
import { setConfig } from '../model/edit/edit-config.ts';
import {
  connect,
  findConnectError,
  disconnect,
  findDisconnectError,
  findFreeOutput,
  insertIntoEdge,
  type ConnectionEnds,
} from '../model/edit/edit-connections.ts';
import {
  addNode,
  changeNodes,
  removeNodes,
  renameNode,
  setDisabled,
  setName,
} from '../model/edit/edit-nodes.ts';
import { addNote, changeNote, removeNotes } from '../model/edit/edit-notes.ts';
import { CARD_HEAD, CARD_WIDTH, GRID } from '../model/layout/geometry.ts';
import { getGraphIndex, type BodyPosition } from '../model/graph-index.ts';
import { findNeighbor, type Direction } from '../model/neighbors.ts';
import { findOnlyOpenEnd } from '../model/open-end.ts';
import { openTrigger } from '../model/open-trigger.ts';
import { findEntry, parseEntryId } from '../model/palette-entries.ts';
import { canFollow } from '../model/ports.ts';
import { rememberEntry } from './recent-entries.ts';
import { formatCount, createActionContext, selectOnly } from './action-context.ts';
import { createClipboardActions } from './clipboard-actions.ts';
import { createMoveActions } from './move-actions.ts';
import { describeNode } from './undo-labels.ts';
import type { Editor } from './editor.ts';
import type { AddTarget, Ui } from './ui-state.ts';
import { t, tPlural } from '../../i18n/index.ts';

export type Actions = ReturnType<typeof createActions>;

/** The user's actions on the canvas by mouse, keyboard or menu. `warn` reports why one is not possible. */
export function createActions(editor: Editor, ui: Ui, warn: (text: string) => void) {
  const { catalog } = editor;
  const context = createActionContext(editor, warn);
  const { current, refuse, reveal, title, view } = context;

  function choose(id: string): void {
    editor.select({ nodes: new Set([id]) });
    reveal([id]);
    editor.announce(describeNode(editor.doc(), catalog, id));
  }

  /**
   * Where to add a node: after the selected node, in its body if it is in one. Without a selection: after the
   * only node without a successor, otherwise unconnected at the pointer or in the middle.
   */
  function findKeyboardTarget(): AddTarget {
    const doc = editor.doc();
    const id = current() ?? findOnlyOpenEnd(doc, catalog);
    const box = id === null ? undefined : computeBoxes(doc, catalog).get(id);
    if (id === null || box === undefined) {
      const pointer = view().pointer();
      return pointer === null ? {} : { position: pointer, screen: view().toScreen(pointer) };
    }
    const screen = view().toScreen({ x: box.x + box.width + GRID, y: box.y });
    const bodyPosition = getGraphIndex(doc, catalog).bodyPositions.get(id);
    return {
      screen,
      bodyPosition: bodyPosition && { ...bodyPosition, index: bodyPosition.index + 1 },
      from: { node: id },
    };
  }

  /**
   * Adds a palette entry after the selected node or the only one without a successor; unconnected if the
   * ports do not match.
   */
  function addAfterSelection(id: string): void {
    const doc = editor.doc();
    const source = current() ?? findOnlyOpenEnd(doc, catalog);
    const { type } = parseEntryId(id);
    if (isTrigger(catalog, type)) return void add(id, source === null ? {} : { from: { node: source } });
    const port = source === null ? undefined : findFreeOutput(doc, catalog, source);
    if (source === null || !canFollow(doc.nodes.get(source), port, type, catalog)) return void add(id, {});
    const bodyPosition = getGraphIndex(doc, catalog).bodyPositions.get(source);
    add(id, {
      from: { node: source, port },
      bodyPosition: bodyPosition && { ...bodyPosition, index: bodyPosition.index + 1 },
    });
  }

  /** Adds a palette entry and returns the id of the node. */
  function add(id: string, given: AddTarget): string {
    const doc = editor.doc();
    const { type, config } = parseEntryId(id);
    const name = findEntry(catalog, id)?.title ?? catalog.get(type)?.name ?? type;
    rememberEntry(id);
    let target = given;
    if (isTrigger(catalog, type)) {
      const start = openTrigger(doc, catalog, target);
      if (start !== null) return setTrigger(start, config, name);
      // A trigger has no input.
      target = { ...given, from: undefined, edge: undefined };
    }
    const size = { width: CARD_WIDTH, height: CARD_HEAD };
    const source = target.from === undefined ? undefined : computeBoxes(doc, catalog).get(target.from.node);
    const isInBody = target.bodyPosition !== undefined && !isTrigger(catalog, type);
    let where: { bodyPosition: BodyPosition } | { position: Point };
    if (isInBody) where = { bodyPosition: target.bodyPosition! };
    else {
      const middle = view().middle();
      const preferred =
        target.position ??
        (source === undefined
          ? { x: middle.x - size.width / 2, y: middle.y - size.height / 2 }
          : { x: source.x + source.width + 4 * GRID, y: source.y });
      where = { position: findFreePosition(doc, catalog, { ...preferred, ...size }) };
    }
    let next = addNode(doc, catalog, type, where, config);
    if (parseOperationEntryId(id) !== null)
      next = { ...next, doc: changeNodes(next.doc, [next.id], (entry) => setName(entry, name)) };
    next = { ...next, doc: joined(next.doc, next.id, target, isInBody) };
    editor.change(t('Add {{node}}', { node: name }), () => next.doc, {
      selection: selectOnly({ nodes: new Set([next.id]) }),
      announce:
        target.from === undefined
          ? t('{{node}} added', { node: name })
          : t('{{node}} added after {{source}}', { node: name, source: title(target.from.node) }),
    });
    reveal([next.id]);
    return next.id;
  }

  function setTrigger(id: string, config: JsonObject, kind: string): string {
    editor.change(t('Change trigger'), (doc) => setConfig(doc, catalog, id, config), {
      selection: selectOnly({ nodes: new Set([id]) }),
      announce: t('{{node}} is now: {{kind}}', { node: title(id), kind }),
    });
    reveal([id]);
    return id;
  }

  function joined(doc: Doc, id: string, { from, to, edge }: AddTarget, isInBody: boolean): Doc {
    if (edge !== undefined) return insertIntoEdge(doc, catalog, edge, id);
    let next = doc;
    const isOrdered =
      isInBody &&
      !doc.connections.some((connection) => connection.from === from?.node || connection.to === from?.node);
    if (from !== undefined && !isOrdered) {
      const port = from.port ?? findFreeOutput(doc, catalog, from.node);
      next = connect(next, catalog, { from: from.node, port, to: id });
    }
    if (to !== undefined) next = connect(next, catalog, { from: id, to: to.node, toPort: to.port });
    return next;
  }

  function remove(): void {
    const { nodes, edges, notes } = editor.selection();
    const doc = editor.doc();
    const count = nodes.size + notes.size;
    if (count + edges.size === 0) return;
    if (count === 0) {
      const error = [...edges].map((id) => findDisconnectError(doc, catalog, id)).find((one) => one !== null);
      if (error !== undefined && edges.size === 1) return void refuse(error);
    }
    const next =
      current() === null
        ? null
        : (findNeighbor(doc, catalog, current()!, 'left') ?? findNeighbor(doc, catalog, current()!, 'right'));
    const label =
      count === 0
        ? t('Delete {{what}}', { what: formatCount(edges.size, 'connection') })
        : t('Delete {{what}}', { what: formatCount(count, nodes.size > 0 ? 'node' : 'comment') });
    editor.change(
      label,
      (before) => removeNotes(removeNodes(disconnect(before, catalog, edges), catalog, nodes), notes),
      {
        selection: selectOnly({
          nodes: new Set(next !== null && !nodes.has(next) && nodes.size === 1 ? [next] : []),
        }),
      },
    );
  }

  return {
    attach: context.attach,
    current,
    reveal,
    ...createClipboardActions(context, remove),
    ...createMoveActions(context),
    choose,
    add,
    addBehind: addAfterSelection,
    remove,
    /** Into a body of the selected container: its first empty one, unless one is named. */
    openInto: (body?: string): void => {
      const id = current();
      const doc = editor.doc();
      const bodies = [...(id === null ? [] : (getGraphIndex(doc, catalog).bodyNodes.get(id) ?? []))];
      const [name, nodes] = bodies.find(([one, list]) =>
        body === undefined ? list.length === 0 : one === body,
      ) ??
        bodies[0] ?? [null, []];
      if (id === null || name === null) return editor.announce(t('This node contains no nodes'));
      const { x, y } = computeBoxes(doc, catalog).get(id)!;
      ui.show({
        adding: {
          screen: view().toScreen({ x: x + GRID, y: y + CARD_HEAD }),
          bodyPosition: { container: id, body: name, index: nodes.length },
        },
        menu: null,
      });
    },
    openAdd: (target?: AddTarget): void => {
      ui.show({ adding: target ?? findKeyboardTarget(), menu: null });
    },
    connect: (ends: ConnectionEnds): boolean => {
      const error = findConnectError(editor.doc(), catalog, ends);
      if (error !== null) return refuse(error);
      return editor.change(
        t('Connect {{source}} to {{target}}', { source: title(ends.from), target: title(ends.to) }),
        (doc) => connect(doc, catalog, ends),
      );
    },
    walk: (direction: Direction, isExtending = false): void => {
      const doc = editor.doc();
      const id = current();
      const next =
        id === null ? (doc.nodes.keys().next().value ?? null) : findNeighbor(doc, catalog, id, direction);
      if (next === null)
        return editor.announce(id === null ? t('The canvas is empty') : t('No node in that direction'));
      if (!isExtending) return choose(next);
      const { nodes } = editor.selection();
      editor.select({ nodes: new Set([...[...nodes].filter((one) => one !== next), next]) });
      editor.announce(t('{{number}} selected', { number: nodes.size + 1 }));
      reveal([next]);
    },
    selectAll: (): void => {
      const doc = editor.doc();
      const { bodyPositions } = getGraphIndex(doc, catalog);
      const nodes = new Set([...doc.nodes.keys()].filter((id) => !bodyPositions.has(id)));
      editor.select({ nodes, notes: new Set(doc.notes.keys()) });
      editor.announce(tPlural(doc.nodes.size, '{{count}} node selected', '{{count}} nodes selected'));
    },
    rename: (id: string, name: string): void => {
      editor.change(t('Rename'), (doc) => changeNodes(doc, [id], (entry) => setName(entry, name)));
    },
    changeId: (id: string, next: string): void => {
      editor.change(t('Change ID to {{id}}', { id: next }), (doc) => renameNode(doc, id, next), {
        selection: selectOnly({ nodes: new Set([next]) }),
      });
    },
    toggleDisabled: (): void => {
      const { nodes } = editor.selection();
      const isOn = [...nodes].some((id) => editor.doc().nodes.get(id)?.disabled !== true);
      editor.change(isOn ? t('Disable') : t('Enable'), (doc) =>
        changeNodes(doc, nodes, (entry) => setDisabled(entry, isOn)),
      );
    },
    addComment: (position?: Point): void => {
      const { doc, id } = addNote(editor.doc(), position ?? view().pointer() ?? view().middle());
      if (id === null) return void refuse(t('No space for another comment'));
      editor.change(t('Add comment'), () => doc, { selection: selectOnly({ notes: new Set([id]) }) });
      ui.show({ writing: id, menu: null });
    },
    paint: (colour: NoteColor): void => {
      const { notes } = editor.selection();
      editor.change(t('Change color'), (doc) =>
        [...notes].reduce((next, id) => changeNote(next, id, { colour }), doc),
      );
    },
    fit: (): void => {
      const doc = editor.doc();
      context.viewport()?.show([...computeBoxes(doc, catalog).values(), ...doc.notes.values()], 'fit');
    },
    fitSelection: (): void => {
      const { nodes, notes } = editor.selection();
      reveal([...nodes, ...notes], 'fit');
    },
    zoom: (to: 'in' | 'out' | 'one'): void => context.viewport()?.zoom(to),
    focus: (): void => context.viewport()?.focus(),
    middle: (): Point => view().middle(),
    onScreen: (point: Point): Point => view().toScreen(point),
    onCanvas: (screen: Point): Point => view().toCanvas(screen),
  };
}
