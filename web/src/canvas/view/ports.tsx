import { Handle } from '@xyflow/react';
import { memo } from 'react';
import type { Entry } from '../model/document.ts';
import { handlesOf, type Size } from '../model/geometry.ts';
import { portsOf } from '../model/ports.ts';
import { useCanvas } from './canvas-context.ts';
import { positionOf } from './flow-elements.ts';

/** The ports of a node: what connections begin and end at. */
export const Ports = memo(function Ports({ entry, width, height }: { entry: Entry } & Size) {
  const { editor, isReadOnly } = useCanvas();
  const ports = portsOf(entry, editor.catalogue);
  const hasRows = Math.max(ports.inputs.length, ports.outputs.length) > 1;
  return handlesOf(entry, editor.catalogue, { width, height }).map(({ port, side, x, y }) => {
    const known =
      side === 'in'
        ? ports.inputs.find(({ name }) => name === port)
        : ports.outputs.find(({ name }) => name === port);
    return (
      <Handle
        key={`${side} ${port}`}
        id={port}
        type={side === 'in' ? 'target' : 'source'}
        position={positionOf(side)}
        className={`port port--${side}`}
        isConnectable={!isReadOnly}
        title={
          side === 'error'
            ? 'error: where a failure leads'
            : known === undefined || known.description === ''
              ? port
              : `${port}: ${known.description}`
        }
        style={{ left: x, top: y, right: 'auto', bottom: 'auto' }}
      >
        {side !== 'error' && hasRows && (side === 'out' || ports.inputs.length > 1) && (
          <span className="port__label">{port}</span>
        )}
      </Handle>
    );
  });
});
