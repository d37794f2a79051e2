import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { ExecutionDetail, NodeRun } from 'weft-client';
import { StatusBadge } from '../../ui/badge.tsx';
import { JsonTree } from '../../ui/code/json-tree.tsx';
import { Alert } from '../../ui/alert.tsx';
import { formatDuration } from '../../ui/time.tsx';
import { toSentenceCase, t, tPlural } from '../../i18n/index.ts';

/** The result of a run: its status, output, and every node with its input and output. */
export function ExecutionView({ execution }: { execution: ExecutionDetail }) {
  const { status, duration, error, output, nodes, progress } = execution;
  const percent = Math.round(progress * 100);
  return (
    <section className="run" aria-label={t('Result')}>
      <div className="run__head" role="status">
        <StatusBadge status={status} />
        <span className="run__meter meter">
          <span className="meter__fill run__fill" style={{ width: `${percent}%` }} />
        </span>
        <span className="faint numbers">{duration === null ? `${percent} %` : formatDuration(duration)}</span>
      </div>
      {error !== null && (
        <Alert tone="bad">
          {error.node_id !== '' && (
            <>
              <code>{error.node_id}</code>:{' '}
            </>
          )}
          {error.message}
        </Alert>
      )}
      {status === 'completed' && (
        <div className="run__output">
          <h3 className="run__title">{t('Output')}</h3>
          <JsonTree value={output} openLevels={3} />
        </div>
      )}
      {nodes.length > 0 && (
        <div>
          <h3 className="run__title">{t('Nodes')}</h3>
          <ol className="run__nodes">
            {nodes.map((node) => (
              <NodeLine key={`${node.path}:${node.node_id}`} node={node} />
            ))}
          </ol>
        </div>
      )}
    </section>
  );
}

function NodeLine({ node }: { node: NodeRun }) {
  const [isOpen, setIsOpen] = useState(node.status === 'failed');
  return (
    <li className="run__node">
      <button type="button" className="run__line" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <ChevronRight size={13} aria-hidden="true" />
        <span className="run__name truncate">{node.path === '' ? node.node_id : node.path}</span>
        <span className="faint truncate grow">{node.type}</span>
        {node.attempt > 1 && (
          <span className="faint numbers">
            {tPlural(node.attempt, '{{count}} attempt', '{{count}} attempts')}
          </span>
        )}
        <span className="faint numbers">{node.duration === null ? '' : formatDuration(node.duration)}</span>
        <StatusBadge status={node.status} />
      </button>
      {isOpen && (
        <div className="run__data">
          {node.error !== null && <Alert tone="bad">{node.error.message}</Alert>}
          <JsonTree name={toSentenceCase(t('Input'))} value={node.input} openLevels={2} />
          {node.error === null && (
            <JsonTree name={toSentenceCase(t('Output'))} value={node.output} openLevels={2} />
          )}
        </div>
      )}
    </li>
  );
}
