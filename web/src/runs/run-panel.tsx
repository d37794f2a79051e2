import { ChevronDown, ChevronUp, ExternalLink, PackageOpen, RotateCcw, Square, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { isSettled, type ExecutionDetail } from 'weft-client';
import { useMutationWithToast } from '../data/use-mutation-with-toast.ts';
import { client } from '../data/client.ts';
import { useStore } from '../data/store.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { Button, ButtonLink, IconButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Alert } from '../ui/alert.tsx';
import { Pagination } from '../ui/lists/pagination.tsx';
import { SegmentedControl } from '../ui/segmented-control.tsx';
import { formatDuration } from '../ui/time.tsx';
import { readConversations } from './conversation/conversation.ts';
import { ConversationView } from './conversation/conversation-view.tsx';
import { DataView } from './data-view.tsx';
import { ResponseBody } from './failure-view.tsx';
import { LogView } from './log/log-view.tsx';
import type { LogLine, RunSession, ExecutionProgress as RunStanding } from './run-session.ts';
import { TimelineView } from './timeline/timeline.tsx';
import { useLog } from './log/use-log.ts';
import { useTries } from './log/use-tries.ts';
import { t } from '../i18n/index.ts';

type View = 'timeline' | 'conversation' | 'log' | 'output';

export type RunPanelProps = {
  session: RunSession;
  /** The selected node. */
  selectedNodeId: string | null;
  /** `path`: the run of the node, which may have several. */
  onChoose: (nodeId: string, path?: string) => void;
  /** `place`: the path of the node run in a body from which to retry. */
  onRetry: (execution: ExecutionDetail, place?: string) => void;
  getTitle: (nodeId: string) => string;
  /** Undefined where the panel is part of the page. */
  onClose?: (() => void) | undefined;
  /** Whether to link to the page of the execution. */
  hasLink?: boolean;
};

/** The panel below the canvas: the status of a run, its timeline and its log. */
export function RunPanel({
  session,
  selectedNodeId,
  onChoose: onChooseNode,
  onRetry,
  getTitle,
  onClose,
  hasLink = false,
}: RunPanelProps) {
  const { run, isLive, error, total } = useStore(session.state);
  const [view, setView] = useState<View>('timeline');
  const [isOpen, setIsOpen] = useState(true);
  const [chosen, setChosen] = useState<{ nodeId: string; path: string } | null>(null);
  const execution = run?.execution ?? null;
  const onChoose = (nodeId: string, path?: string): void => {
    setChosen(path === undefined ? null : { nodeId, path });
    onChooseNode(nodeId, path);
  };
  const isInBody = chosen !== null && chosen.nodeId === selectedNodeId && chosen.path !== chosen.nodeId;
  const conversations = useMemo(() => readConversations(execution?.nodes ?? none), [execution]);
  return (
    <section className="run-panel" aria-label={t('Run', { context: 'noun' })} data-open={isOpen}>
      <header className="run-panel__head">
        {execution === null ? (
          <span className="faint">{error === null ? t('Starting…') : t('Could not load the execution')}</span>
        ) : (
          <StatusLine execution={execution} session={session} getTitle={getTitle} />
        )}
        <span className="grow" />
        {isOpen && (
          <SegmentedControl<View>
            label={t('View', { context: 'noun' })}
            value={view}
            options={[
              { value: 'timeline', label: t('Timeline') },
              ...(conversations.length === 0
                ? []
                : [{ value: 'conversation' as const, label: t('Conversation') }]),
              { value: 'log', label: t('Log') },
              { value: 'output', label: t('Output') },
            ]}
            onChange={setView}
          />
        )}
        {execution !== null && (
          <RunActions
            execution={execution}
            place={isInBody ? chosen.path : undefined}
            onRetry={onRetry}
            hasLink={hasLink}
          />
        )}
        <IconButton
          size="small"
          label={isOpen ? t('Collapse run panel') : t('Expand run panel')}
          icon={isOpen ? <ChevronDown size={15} /> : <ChevronUp size={15} />}
          onClick={() => setIsOpen(!isOpen)}
        />
        {onClose !== undefined && (
          <IconButton size="small" label={t('Close run panel')} icon={<X size={15} />} onClick={onClose} />
        )}
      </header>
      {isOpen && (
        <div className="run-panel__body">
          {error !== null && <Alert tone="bad">{error}</Alert>}
          {execution?.error !== null && execution !== null && (
            <Failure execution={execution} onChoose={onChoose} getTitle={getTitle} />
          )}
          {view === 'output' && <Output execution={execution} />}
          {view === 'timeline' && (
            <Timeline
              session={session}
              execution={execution}
              total={total}
              isLive={isLive}
              selectedNodeId={selectedNodeId}
              onChoose={onChoose}
              getTitle={getTitle}
            />
          )}
          {view === 'conversation' && (
            <ConversationView
              conversations={conversations}
              selectedNodeId={selectedNodeId}
              onChoose={onChoose}
              getTitle={getTitle}
            />
          )}
          {view === 'log' && <Log execution={execution} session={session} />}
        </div>
      )}
    </section>
  );
}

/** Uses the live log lines while the execution runs, and the loaded runs afterwards. */
function Timeline({
  session,
  execution,
  total,
  isLive,
  ...rest
}: {
  session: RunSession;
  execution: ExecutionDetail | null;
  total: number;
  isLive: boolean;
} & Pick<RunPanelProps, 'selectedNodeId' | 'onChoose' | 'getTitle'>) {
  const { runs: live } = useStore(session.live);
  const read = execution?.nodes ?? none;
  const tries = useTries(execution?.id, !isLive && read.some(({ attempt }) => attempt > 1));
  const readWithTries = useMemo(
    () =>
      tries === undefined
        ? read
        : read.map((run) => (run.attempt > 1 ? { ...run, tries: tries.get(run.path) ?? none } : run)),
    [read, tries],
  );
  const runs = isLive && live.length > 0 ? live : readWithTries;
  return (
    <TimelineView
      key={execution?.id}
      {...rest}
      runs={runs}
      total={isLive ? runs.length : total}
      isLive={isLive}
      onMore={() => session.more()}
    />
  );
}

const none: readonly never[] = [];

function StatusLine({
  execution,
  session,
  getTitle,
}: {
  execution: ExecutionDetail;
  session: RunSession;
  getTitle: (nodeId: string) => string;
}) {
  const { standing } = useStore(session.live);
  const isRead = isSettled(execution.status) || standing === null;
  const { status, progress, current_node: node }: RunStanding = isRead ? execution : standing;
  const { duration } = execution;
  const percent = Math.round(progress * 100);
  const isOver = isSettled(status);
  return (
    <span className="row run-panel__standing" role="status">
      <StatusBadge status={status} />
      {!isOver && (
        <span className="meter run-panel__meter">
          <span className="meter__fill" style={{ width: `${percent}%` }} />
        </span>
      )}
      <span className="faint numbers truncate">
        {isOver
          ? duration === null
            ? ''
            : formatDuration(duration)
          : `${percent} %${node === null ? '' : ` · ${getTitle(node)}`}`}
      </span>
    </span>
  );
}

function RunActions({
  execution,
  place,
  onRetry,
  hasLink,
}: {
  execution: ExecutionDetail;
  /** The selected node run, if it is in a body. */
  place: string | undefined;
  onRetry: RunPanelProps['onRetry'];
  hasLink: boolean;
}) {
  const stop = useMutationWithToast((id: string) => client.executions.stop(id), {
    changes: [['executions']],
    failed: t('Could not stop the execution'),
  });
  return (
    <>
      {isSettled(execution.status) ? (
        <>
          {place !== undefined && (
            <Button
              size="small"
              icon={<RotateCcw size={13} />}
              title={place}
              onClick={() => onRetry(execution, place)}
            >
              {t('Retry from here…')}
            </Button>
          )}
          <Button size="small" icon={<RotateCcw size={13} />} onClick={() => onRetry(execution)}>
            {t('Retry…')}
          </Button>
        </>
      ) : (
        <Button
          size="small"
          icon={<Square size={12} />}
          isBusy={stop.isPending}
          onClick={() => stop.mutate(execution.id)}
        >
          {t('Stop')}
        </Button>
      )}
      {hasLink && (
        <ButtonLink
          size="small"
          variant="quiet"
          href={`/executions/${execution.id}`}
          icon={<ExternalLink size={13} />}
        >
          {t('Open')}
        </ButtonLink>
      )}
    </>
  );
}

function Failure({
  execution,
  onChoose,
  getTitle,
}: {
  execution: ExecutionDetail;
  onChoose: (nodeId: string) => void;
  getTitle: (nodeId: string) => string;
}) {
  const { error } = execution;
  if (error === null) return null;
  return (
    <Alert
      tone="bad"
      action={
        error.node_id === '' ? undefined : (
          <Button size="small" onClick={() => onChoose(error.node_id)}>
            {t('Show {{node}}', { node: getTitle(error.node_id) })}
          </Button>
        )
      }
    >
      <strong>{error.type}</strong>: {error.message}
      <ResponseBody error={error} />
    </Alert>
  );
}

/** The output or error of the execution. */
function Output({ execution }: { execution: ExecutionDetail | null }) {
  if (execution === null || !isSettled(execution.status))
    return (
      <EmptyState icon={<PackageOpen size={18} />} title={t('No output yet')}>
        {t('The output of the last nodes appears here when the execution completes.')}
      </EmptyState>
    );
  return <DataView title={t('Output')} value={execution.output} />;
}

/** Shows live log lines while the execution runs, and the paginated log afterwards. */
function Log({ execution, session }: { execution: ExecutionDetail | null; session: RunSession }) {
  const { log: live }: { log: readonly LogLine[] } = useStore(session.live);
  const [page, setPage] = useState(1);
  const isOver = execution !== null && isSettled(execution.status);
  const stored = useLog(execution?.id ?? '', page, isOver && live.length === 0);
  if (live.length > 0 || !isOver) return <LogView log={live} />;
  return (
    <>
      <LogView log={stored.log} />
      {stored.pageInfo !== undefined && stored.pageInfo.total_pages > 1 && (
        <Pagination pageInfo={stored.pageInfo} onPage={setPage} />
      )}
    </>
  );
}
