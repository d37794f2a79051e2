import { Panel, useReactFlow, useStore as useFlow, type ReactFlowState } from '@xyflow/react';
import { useEffect, useMemo, useRef, type PointerEvent as ReactPointerEvent } from 'react';
import { useStore } from '../../../data/store.ts';
import { t } from '../../../i18n/index.ts';
import type { Catalog } from '../../model/catalog.ts';
import type { Doc } from '../../model/document.ts';
import { computeBounds, computeBoxes, type Box } from '../../model/layout/boxes.ts';
import { isContainer } from '../../model/structure.ts';
import { useCanvas } from '../canvas-context.ts';

const WIDTH_PX = 176;
const HEIGHT_PX = 116;
/** The free space around the workflow, relative to its size. */
const MARGIN = 0.05;
/** The zoom factor of one unit of the wheel is 2 to the power of this. */
const ZOOM_PER_WHEEL_UNIT = 0.002;

/**
 * All nodes and the visible part of the canvas. Drag to pan, scroll to zoom. One path for each kind of node:
 * the minimap of React Flow has an element for each node, and lays out all of them at every move.
 */
export function Minimap() {
  const { editor } = useCanvas();
  const { doc } = useStore(editor.history);
  const { catalog } = editor;
  const flow = useReactFlow();
  const svg = useRef<SVGSVGElement>(null);
  const dragged = useRef<{ x: number; y: number } | null>(null);
  const shapes = useMemo(() => computeShapes(doc, catalog), [doc, catalog]);
  const [x, y, zoom] = useFlow(getTransform);
  const width = useFlow((state) => state.width);
  const height = useFlow((state) => state.height);
  const seen = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
  const all = computeBounds([seen, ...(shapes.bounds === null ? [] : [shapes.bounds])]) ?? seen;
  const scale = Math.max(all.width / WIDTH_PX, all.height / HEIGHT_PX) * (1 + 2 * MARGIN);
  const view = {
    x: all.x + (all.width - scale * WIDTH_PX) / 2,
    y: all.y + (all.height - scale * HEIGHT_PX) / 2,
    width: scale * WIDTH_PX,
    height: scale * HEIGHT_PX,
  };

  useEffect(() => {
    const { current: element } = svg;
    // React's listeners of the wheel are passive: Ctrl and the wheel would zoom the page.
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      void flow.zoomTo(flow.getZoom() * 2 ** (-event.deltaY * ZOOM_PER_WHEEL_UNIT));
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [flow]);

  const drag = ({ clientX, clientY }: ReactPointerEvent): void => {
    if (dragged.current === null) return;
    const from = dragged.current;
    dragged.current = { x: clientX, y: clientY };
    const viewport = flow.getViewport();
    const factor = scale * viewport.zoom;
    void flow.setViewport({
      x: viewport.x - (clientX - from.x) * factor,
      y: viewport.y - (clientY - from.y) * factor,
      zoom: viewport.zoom,
    });
  };

  return (
    <Panel position="bottom-right" className="canvas__map">
      <svg
        ref={svg}
        role="img"
        aria-label={t('Map of the workflow')}
        width={WIDTH_PX}
        height={HEIGHT_PX}
        viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          dragged.current = { x: event.clientX, y: event.clientY };
        }}
        onPointerMove={drag}
        onPointerUp={() => (dragged.current = null)}
        onPointerCancel={() => (dragged.current = null)}
      >
        <path className="map-note" d={shapes.notes} />
        <path className="map-container" d={shapes.containers} />
        <path className="map-card" d={shapes.cards} />
        <path className="map-mask" fillRule="evenodd" d={`${toRect(view)}${toRect(seen)}`} />
      </svg>
    </Panel>
  );
}

const getTransform = ({ transform }: ReactFlowState) => transform;

function computeShapes(doc: Doc, catalog: Catalog) {
  const boxes = computeBoxes(doc, catalog);
  const notes = [...doc.notes.values()];
  let cards = '';
  let containers = '';
  for (const [id, box] of boxes)
    if (isContainer(doc.nodes.get(id)?.type ?? '')) containers += toRect(box);
    else cards += toRect(box);
  return {
    cards,
    containers,
    notes: notes.map(toRect).join(''),
    bounds: computeBounds([...boxes.values(), ...notes]),
  };
}

function toRect({ x, y, width, height }: Box): string {
  return `M${x} ${y}h${width}v${height}h${-width}z`;
}
