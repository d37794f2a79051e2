import { getBezierPath, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import { joinClassNames } from '../../ui/class-names.ts';
import type { Point } from '../model/document.ts';
import { countWords } from '../model/summary-text.ts';
import { countText, useEdgeRun, useIsLowerBound, type EdgeRun } from '../state/run-overlay.ts';
import { useCanvas } from './canvas-context.ts';
import type { CanvasEdge } from './flow-elements.ts';

export const CURVATURE = 0.28;
/** px of the canvas. */
const LABEL_HEIGHT = 12;
/** How far a label moves to the end of a line whose start has the name of a port. */
const LABEL_SHIFT = 0.4;

/** An edge with the name of its port and, while a run is shown, the number of values it carried. */
export const EdgeView = memo(function EdgeView(props: EdgeProps<CanvasEdge>) {
  const { id, selected, data, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props;
  const { overlay, edgeMarks } = useCanvas();
  const run = useEdgeRun(overlay, id);
  const isLowerBound = useIsLowerBound(overlay, props.target);
  const mark = edgeMarks.get(id);
  const { edge, label = '', hasPortLabel = false, isBroken = false, route } = data ?? {};
  // While one of its nodes is dragged, an edge is a plain curve.
  const isRouted =
    route !== undefined && isNear(route.from, sourceX, sourceY) && isNear(route.to, targetX, targetY);
  const [curve, curveX, curveY] = getBezierPath({
    sourceX,
    sourceY,
    targetX,
    targetY,
    sourcePosition,
    targetPosition,
    curvature: CURVATURE,
  });
  const path = isRouted ? route.path : curve;
  const { x: labelX, y: labelY } = isRouted ? route.label : { x: curveX, y: curveY };
  const isBesidePortLabel = hasPortLabel && Math.abs(labelY - sourceY) < LABEL_HEIGHT;
  const shift = isBesidePortLabel ? (targetX - labelX) * LABEL_SHIFT : 0;
  const words = [label, run === undefined ? '' : runText(run, isLowerBound)].filter(Boolean).join(' · ');
  return (
    <g
      className={joinClassNames(
        'edge',
        edge?.kind === 'order' && 'edge--order',
        edge?.port === 'error' && 'edge--error',
        isBroken && 'edge--broken',
        selected === true && 'edge--selected',
        run !== undefined && run.count > 0 && 'edge--passed',
        mark !== undefined && `edge--${mark}`,
      )}
    >
      <path className="edge__path" d={path} />
      <path className="edge__reach" d={path} />
      {words !== '' && (
        <text className="edge__label" x={labelX + shift} y={labelY} dy="0.32em">
          {words}
        </text>
      )}
    </g>
  );
});

/** The number of items for a list, otherwise the number of values. */
function runText({ count, items }: EdgeRun, isLowerBound: boolean): string {
  return items === undefined ? countText(count, isLowerBound && count > 1) : countWords(items, 'item');
}

/** React Flow measures ports on the screen, which is not exact at every zoom. */
function isNear({ x, y }: Point, otherX: number, otherY: number): boolean {
  return Math.abs(x - otherX) < 1 && Math.abs(y - otherY) < 1;
}
