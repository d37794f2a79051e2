import { getBezierPath, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import { classNames } from '../../ui/class-names.ts';
import type { Point } from '../model/document.ts';
import { countWords } from '../model/summary-text.ts';
import { countText, useEdgeRun, useIsLowerBound, type EdgeRun } from '../state/run-overlay.ts';
import { useCanvas } from './canvas-context.ts';
import type { LineEdge } from './flow-elements.ts';

export const CURVATURE = 0.28;

/** A connection, with the name of its port and, while a run is shown, what passed. */
export const Line = memo(function Line(props: EdgeProps<LineEdge>) {
  const { id, selected, data, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props;
  const { overlay, edgeMarks } = useCanvas();
  const run = useEdgeRun(overlay, id);
  const isLowerBound = useIsLowerBound(overlay, props.target);
  const mark = edgeMarks.get(id);
  const { edge, label = '', isBroken = false, route } = data ?? {};
  // While one of its nodes is dragged, a line is a plain curve.
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
  const words = [label, run === undefined ? '' : runText(run, isLowerBound)].filter(Boolean).join(' · ');
  return (
    <g
      className={classNames(
        'line',
        edge?.kind === 'order' && 'line--order',
        edge?.port === 'error' && 'line--error',
        isBroken && 'line--broken',
        selected === true && 'line--selected',
        run !== undefined && run.count > 0 && 'line--passed',
        mark !== undefined && `line--${mark}`,
      )}
    >
      <path className="line__path" d={path} />
      <path className="line__reach" d={path} />
      {words !== '' && (
        <text className="line__label" x={labelX} y={labelY} dy="0.32em">
          {words}
        </text>
      )}
    </g>
  );
});

/** A list counts its items; anything else, how often something passed. */
function runText({ count, items }: EdgeRun, isLowerBound: boolean): string {
  return items === undefined ? countText(count, isLowerBound && count > 1) : countWords(items, 'item');
}

/** Ports are measured on the screen, which is not exact at every zoom. */
function isNear({ x, y }: Point, otherX: number, otherY: number): boolean {
  return Math.abs(x - otherX) < 1 && Math.abs(y - otherY) < 1;
}
