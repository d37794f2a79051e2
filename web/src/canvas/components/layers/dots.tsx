import { useStore as useFlow, type ReactFlowState } from '@xyflow/react';
import { GRID } from '../../model/layout/geometry.ts';

/**
 * The dots of the grid. The element is one step larger than the canvas on every side and moves by less than
 * one step, so panning moves a painted layer and paints nothing.
 */
export function Dots() {
  const [x, y, zoom] = useFlow(getTransform);
  const step = GRID * zoom;
  return (
    <div
      className="canvas__dots"
      aria-hidden="true"
      style={{
        inset: -step,
        backgroundSize: `${step}px ${step}px`,
        transform: `translate(${x % step}px, ${y % step}px)`,
      }}
    />
  );
}

const getTransform = ({ transform }: ReactFlowState) => transform;
