import { Handle } from '@xyflow/react';
import { Plus } from 'lucide-react';
import { memo } from 'react';
import { joinClassNames } from '../../../ui/class-names.ts';
import type { Entry } from '../../model/document.ts';
import { getHandles, type Handle as CardHandle, type Size } from '../../model/layout/geometry.ts';
import { getGraphIndex } from '../../model/graph-index.ts';
import { getPorts } from '../../model/ports.ts';
import { useCanvas, useStoreSelector } from '../canvas-context.ts';
import { getHandlePosition } from '../flow-elements.ts';
import { t, tElements } from '../../../i18n/index.ts';

/** Width of a card's border in px. Content is positioned inside the border, ports from its corner. */
const BORDER_PX = 1;

/** The ports of a node. */
export const Ports = memo(function Ports({ entry, width, height }: { entry: Entry } & Size) {
  const { editor, isReadOnly } = useCanvas();
  const ports = getPorts(entry, editor.catalog);
  const hasLabels = { in: ports.inputs.length > 1, out: ports.outputs.length > 1, error: false };
  const handles = getHandles(entry, editor.catalog, { width, height });
  const elements = handles.map(({ port, side, x, y }) => {
    const portType =
      side === 'in'
        ? ports.inputs.find(({ name }) => name === port)
        : ports.outputs.find(({ name }) => name === port);
    return (
      <Handle
        key={`${side} ${port}`}
        id={port}
        type={side === 'in' ? 'target' : 'source'}
        position={getHandlePosition(side)}
        className={`port port--${side}`}
        isConnectable={!isReadOnly}
        title={
          side === 'error'
            ? t('error: runs when the node fails')
            : portType === undefined || portType.description === ''
              ? port
              : `${port}: ${portType.description}`
        }
        style={{ left: x - BORDER_PX, top: y - BORDER_PX, right: 'auto', bottom: 'auto' }}
      >
        {hasLabels[side] && <span className="port__label">{port}</span>}
      </Handle>
    );
  });
  if (isReadOnly) return elements;
  return [...elements, <NextSteps key="next" entry={entry} handles={handles} hasLabels={hasLabels.out} />];
});

/** A button after each unconnected output that adds the next node. By keyboard: `/`. */
function NextSteps({
  entry,
  handles,
  hasLabels,
}: {
  entry: Entry;
  handles: readonly CardHandle[];
  /** The names of the ports are above the lines. */
  hasLabels: boolean;
}) {
  const { editor, actions } = useCanvas();
  const { catalog } = editor;
  // A string, so that an edit elsewhere does not render this again.
  const taken = useStoreSelector(editor.history, ({ doc }) => {
    const { out, bodyPositions } = getGraphIndex(doc, catalog);
    if (bodyPositions.has(entry.id)) return null;
    return (out.get(entry.id) ?? []).map(({ port }) => port).join('\n');
  });
  const isAlone = useStoreSelector(editor.history, ({ doc }) => doc.nodes.size === 1);
  if (taken === null) return null;
  const used = new Set(taken.split('\n'));
  return handles
    .filter(({ side, port }) => side === 'out' && !used.has(port))
    .map(({ port, x, y }) => (
      <span
        key={port}
        className={joinClassNames(
          'next nodrag nopan',
          isAlone && 'next--shown',
          hasLabels && 'next--labeled',
        )}
        style={{ left: x - BORDER_PX, top: y - BORDER_PX }}
        title={t('Add next node (/)')}
        aria-hidden="true"
        onClick={({ clientX, clientY }) =>
          actions.openAdd({ screen: { x: clientX, y: clientY }, from: { node: entry.id, port } })
        }
      >
        <Plus size={13} />
        {isAlone && (
          <span className="next__hint">
            {tElements('Add next node, or press {{key}}', { key: <kbd className="kbd">/</kbd> })}
          </span>
        )}
      </span>
    ));
}
