import type { NodeProps, ReactFlowState } from '@xyflow/react';
import { createContext, memo, useContext } from 'react';
import { joinClassNames } from '../../../ui/class-names.ts';
import { useNodeRun } from '../../state/run-overlay.ts';
import { useCanvas, useStoreSelector } from '../canvas-context.ts';
import { CardHead } from './node-card-header.tsx';
import type { CardNode } from '../flow-elements.ts';
import { Ports } from './node-ports.tsx';

/** Below this zoom text is not readable: names and ports are omitted. */
const COMPACT_CARD_ZOOM = 0.42;
export const isFarZoom = ({ transform }: ReactFlowState): boolean => transform[2] < COMPACT_CARD_ZOOM;

/** `isFarZoom`, with one subscription to the viewport instead of one for each node. */
export const FarZoomContext = createContext(false);

/** A node without bodies. */
export const Card = memo(function Card({
  data: { entry },
  selected,
  width = 0,
  height = 0,
}: NodeProps<CardNode>) {
  const { editor, overlay, marks, issues } = useCanvas();
  const isFar = useContext(FarZoomContext);
  const status = useNodeRun(overlay, entry.id)?.status;
  const isFaulty = useStoreSelector(issues, (all) => all.has(entry.id));
  const mark = marks.get(entry.id);
  return (
    <div
      className={joinClassNames(
        'step',
        selected && 'step--selected',
        entry.disabled === true && 'step--disabled',
        isFaulty && 'step--faulty',
        editor.catalog.get(entry.type)?.category === 'trigger' && 'step--trigger',
        status !== undefined && `step--${status}`,
        mark !== undefined && `marked marked--${mark}`,
      )}
    >
      <CardHead entry={entry} isFar={isFar} />
      {!isFar && <Ports entry={entry} width={width} height={height} />}
    </div>
  );
});
