import { Pin, PinOff, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NodeRun } from 'weft-client';
import type { Pins } from '../../runs/pins.ts';
import { DataView } from '../../runs/data-view.tsx';
import { useStore } from '../../data/store.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { toast } from '../../ui/toast.tsx';
import { RunFacts, RunFailure } from './run-result.tsx';

/** The result of the chosen run of a node, and its pinned output. */
export function OutputPane({
  nodeId,
  run,
  hasRun,
  pins,
  action,
}: {
  nodeId: string;
  run: NodeRun | undefined;
  hasRun: boolean;
  pins: Pins;
  /** Runs the node. */
  action: ReactNode;
}) {
  const pinned = useStore(pins.outputs);
  const isPinned = pinned.has(nodeId);
  return (
    <div className="panel__body">
      {run === undefined && !isPinned && (
        <EmptyState
          icon={<Play size={18} />}
          title={hasRun ? 'Not part of this run' : 'No output yet'}
          actions={action}
        >
          {hasRun
            ? 'This node did not exist in the displayed run.'
            : 'Run the workflow or this node to see its output.'}
        </EmptyState>
      )}
      {run !== undefined && (
        <>
          <RunFacts run={run} />
          <RunFailure run={run} />
        </>
      )}
      {isPinned ? (
        <DataView title="Pinned output" value={pinned.get(nodeId)} />
      ) : (
        run !== undefined && run.error === null && <DataView title="Output" value={run.output} />
      )}
      <PinButton nodeId={nodeId} run={run} pins={pins} isPinned={isPinned} />
    </div>
  );
}

/** A run from the canvas uses a pinned output instead of running the node. */
function PinButton({
  nodeId,
  run,
  pins,
  isPinned,
}: {
  nodeId: string;
  run: NodeRun | undefined;
  pins: Pins;
  isPinned: boolean;
}) {
  if (!isPinned && run?.status !== 'completed') return null;
  const pin = (): void => {
    if (pins.pin(nodeId, run?.output)) return;
    toast({
      tone: 'warn',
      title: 'Output pinned until you close this page',
      text: 'It is too large to store in this browser.',
    });
  };
  return (
    <div className="field">
      <Button
        icon={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
        aria-pressed={isPinned}
        onClick={() => (isPinned ? pins.unpin(nodeId) : pin())}
      >
        {isPinned ? 'Unpin output' : 'Pin output'}
      </Button>
      <p className="field__hint">
        {isPinned
          ? 'Runs from the editor use the pinned output and skip this node. The pin is stored in this browser.'
          : 'Runs from the editor will use this output and skip the node.'}
      </p>
    </div>
  );
}
