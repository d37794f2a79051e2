import {
  getBezierPath,
  Position,
  useStore as useFlow,
  ViewportPortal,
  type ReactFlowState,
} from '@xyflow/react';
import { memo, useMemo, type CSSProperties } from 'react';
import { useStore } from '../../../data/store.ts';
import { computeBoxes } from '../../model/layout/boxes.ts';
import type { Catalog } from '../../model/catalog.ts';
import type { Doc, Point } from '../../model/document.ts';
import { getHandles } from '../../model/layout/geometry.ts';
import { getGraphIndex, listDescendants, type Edge } from '../../model/graph-index.ts';
import { computeRoutes } from '../../model/layout/routes.ts';
import { CURVATURE } from '../edge.tsx';
import { useCanvas } from '../canvas-context.ts';

/** A visible stroke width at the zoom, rounded to powers of two so that it rarely changes. */
const computeStrokeWidth = ({ transform }: ReactFlowState): number =>
  2 ** Math.round(Math.log2(1 / transform[2]));

/**
 * At low zoom, all edges are drawn as a few paths instead of one element each, since a thousand elements are
 * slow and edges need not be selectable. Edges of dragged nodes are redrawn with each move, the others are
 * not.
 */
export const LowZoomEdges = memo(function LowZoomEdges({
  drag,
}: {
  drag: ReadonlyMap<string, Point> | null;
}) {
  const { editor } = useCanvas();
  const { doc } = useStore(editor.history);
  const { catalog } = editor;
  const width = useFlow(computeStrokeWidth);
  const moved = drag === null ? '' : [...drag.keys()].join('\n');
  const moving = useMemo(() => {
    const ids = moved === '' ? [] : moved.split('\n');
    return new Set([...ids, ...listDescendants(getGraphIndex(doc, catalog), ids)]);
  }, [doc, catalog, moved]);
  const [still, loose] = useMemo(() => {
    const parts: [Edge[], Edge[]] = [[], []];
    for (const edge of getGraphIndex(doc, catalog).edges)
      parts[moving.has(edge.from) || moving.has(edge.to) ? 1 : 0].push(edge);
    return parts;
  }, [doc, catalog, moving]);
  const stillPaths = useMemo(() => computePaths(still, doc, catalog, null), [still, doc, catalog]);
  return (
    <ViewportPortal>
      <svg
        className="low-zoom-edges"
        aria-hidden="true"
        style={{ '--edge-width': `${width}px` } as CSSProperties}
      >
        <Shapes paths={stillPaths} />
        {loose.length > 0 && <Shapes paths={computePaths(loose, doc, catalog, drag)} />}
      </svg>
    </ViewportPortal>
  );
});

type Paths = Readonly<Record<'plain' | 'order' | 'error', string>>;

function Shapes({ paths: { plain, order, error } }: { paths: Paths }) {
  return (
    <>
      <g className="edge">
        <path className="edge__path" d={plain} />
      </g>
      {order !== '' && (
        <g className="edge edge--order">
          <path className="edge__path" d={order} />
        </g>
      )}
      {error !== '' && (
        <g className="edge edge--error">
          <path className="edge__path" d={error} />
        </g>
      )}
    </>
  );
}

function computePaths(
  edges: readonly Edge[],
  doc: Doc,
  catalog: Catalog,
  drag: ReadonlyMap<string, Point> | null,
): Paths {
  const boxes = computeBoxes(doc, catalog);
  const { bodyPositions } = getGraphIndex(doc, catalog);
  const routes = drag === null ? computeRoutes(doc, catalog) : null;
  const paths = { plain: [] as string[], order: [] as string[], error: [] as string[] };
  /** The position of a dragged node in a container is relative to the container. */
  const getCorner = (id: string): Point => {
    const box = boxes.get(id)!;
    const parent = bodyPositions.get(id)?.container;
    const around = parent === undefined ? { x: 0, y: 0 } : boxes.get(parent)!;
    const parentAt = parent === undefined || drag === null ? around : getCorner(parent);
    const own = drag?.get(id) ?? { x: box.x - around.x, y: box.y - around.y };
    return { x: parentAt.x + own.x, y: parentAt.y + own.y };
  };
  const end = (id: string, port: string, isOut: boolean): Point => {
    const handles = getHandles(doc.nodes.get(id)!, catalog, boxes.get(id)!);
    const handle =
      handles.find((one) => one.port === port && (one.side !== 'in') === isOut) ??
      handles.find((one) => (one.side !== 'in') === isOut);
    const corner = getCorner(id);
    return { x: corner.x + (handle?.x ?? 0), y: corner.y + (handle?.y ?? 0) };
  };
  for (const { id, from, port, to, toPort, kind } of edges) {
    const list = paths[kind === 'order' ? 'order' : port === 'error' ? 'error' : 'plain'];
    const route = routes?.get(id);
    if (route !== undefined) {
      list.push(route.path);
      continue;
    }
    const source = end(from, port, true);
    const target = end(to, toPort, false);
    const [path] = getBezierPath({
      sourceX: source.x,
      sourceY: source.y,
      sourcePosition: Position.Right,
      targetX: target.x,
      targetY: target.y,
      targetPosition: Position.Left,
      curvature: CURVATURE,
    });
    list.push(path);
  }
  return { plain: paths.plain.join(''), order: paths.order.join(''), error: paths.error.join('') };
}
