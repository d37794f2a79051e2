import { CircleAlert, Ear, Pin, PowerOff, RotateCw, StickyNote } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useWorkflowNames } from '../../../node-panel/use-names.ts';
import { joinClassNames } from '../../../ui/class-names.ts';
import type { Entry, Json } from '../../model/document.ts';
import { getSummary } from '../../model/summary.ts';
import { getNodeTitle } from '../../model/title.ts';
import { countText, useNodeRun, type NodeRunState } from '../../state/run-overlay.ts';
import { useCanvas, useStoreSelector } from '../canvas-context.ts';
import { getNodeIcon } from '../icons.ts';
import { CardDetails } from './node-card-details.tsx';
import { RunNodeButton } from './run-node-button.tsx';
import { t, tPlural } from '../../../i18n/index.ts';

const runWords: Readonly<Record<NodeRunState['status'], string>> = {
  pending: t('Not run yet'),
  running: t('Running'),
  waiting: t('Waiting'),
  completed: t('Completed'),
  failed: t('Failed'),
  skipped: t('Skipped'),
  stopped: t('Stopped'),
};

/** The icon, name, type, errors and status of a node; at low zoom, a block of its color. */
export function CardHead({
  entry,
  isFar,
  children,
}: {
  entry: Entry;
  isFar: boolean;
  /** The actions beside the title. */
  children?: ReactNode;
}) {
  const { editor } = useCanvas();
  const category = editor.catalog.get(entry.type)?.category ?? 'unknown';
  if (isFar) return <span className="step__block" data-category={category} />;
  return <NearHead entry={entry}>{children}</NearHead>;
}

function NearHead({ entry, children }: { entry: Entry; children: ReactNode }) {
  const { editor, ui } = useCanvas();
  const type = editor.catalog.get(entry.type);
  const Icon = getNodeIcon(entry, type);
  const summary = getSummary(entry, editor.catalog);
  const isRenaming = useStoreSelector(ui, ({ renaming }) => renaming === entry.id);
  return (
    <div className="step__head">
      <span
        className="step__icon"
        data-category={type?.category ?? 'unknown'}
        title={type?.name ?? entry.type}
      >
        <Icon size={18} aria-hidden="true" />
      </span>
      <span className="step__words">
        {isRenaming ? (
          <NameInput entry={entry} />
        ) : (
          <span className="step__name">{getNodeTitle(entry, editor.catalog)}</span>
        )}
        <span className="step__type" title={summary}>
          {entry.type === 'sub_workflow' ? (
            <WorkflowName id={entry.config?.['workflow_id']} or={summary} />
          ) : (
            summary
          )}
        </span>
        <CardDetails entry={entry} />
      </span>
      {children}
      <Badges entry={entry} />
      <RunNodeButton entry={entry} />
    </div>
  );
}

/** The name of the workflow that a node runs, if known. */
function WorkflowName({ id, or }: { id: Json | undefined; or: string }) {
  const names = useWorkflowNames(typeof id === 'string' && id !== '');
  return names.find(({ value }) => value === id)?.label ?? or;
}

function Badges({ entry }: { entry: Entry }) {
  const { overlay, issues, pinned, listening } = useCanvas();
  const isListening = useStoreSelector(
    listening,
    (state) => state.kind === 'listening' && state.nodeId === entry.id,
  );
  const isPinned = useStoreSelector(pinned, (all) => all.has(entry.id));
  const found = useStoreSelector(issues, (all) => all.get(entry.id));
  const run = useNodeRun(overlay, entry.id);
  const text = run === undefined ? '' : progressText(run);
  const failures = run === undefined ? null : failuresText(run);
  return (
    <span className="step__badges">
      {entry.notes !== undefined && entry.notes !== '' && (
        <span className="step__badge" title={entry.notes}>
          <StickyNote size={13} aria-hidden="true" />
          <span className="visually-hidden">{t('Has a note')}</span>
        </span>
      )}
      {isListening && (
        <span className="step__badge step__badge--listening" title={t('Listening for a test event')}>
          <Ear size={13} aria-hidden="true" /> {t('Listening')}
        </span>
      )}
      {isPinned && (
        <span
          className="step__badge step__badge--pinned"
          title={t('Output pinned: runs from the editor use it and skip this node')}
        >
          <Pin size={13} aria-hidden="true" />
          <span className="visually-hidden">{t('Output pinned')}</span>
        </span>
      )}
      {entry.disabled === true && (
        <span className="step__badge" title={t('Disabled: input passes through unchanged')}>
          <PowerOff size={13} aria-hidden="true" />
          <span className="visually-hidden">{t('Disabled')}</span>
        </span>
      )}
      {found !== undefined && (
        <span
          className="step__badge step__badge--bad"
          title={found.map(({ field, issue }) => `${field} ${issue}`).join('\n')}
        >
          <CircleAlert size={14} aria-hidden="true" />
          {found.length > 1 && found.length}
          <span className="visually-hidden">
            {tPlural(found.length, '{{count}} error', '{{count}} errors')}
          </span>
        </span>
      )}
      {run?.tries !== undefined && (
        <span
          className="step__badge"
          title={run.message ?? tPlural(run.tries, '{{count}} attempt', '{{count}} attempts')}
        >
          <RotateCw size={11} aria-hidden="true" /> <span aria-hidden="true">{run.tries}</span>
          <span className="visually-hidden">{tPlural(run.tries, '{{count}} try', '{{count}} tries')}</span>
        </span>
      )}
      {run !== undefined && (
        <span
          className={joinClassNames(
            'step__run',
            `step__run--${run.status}`,
            text !== '' && 'step__run--counted',
          )}
          title={[failures, run.message].filter(Boolean).join(': ') || runWords[run.status]}
        >
          {text}
          <span className="visually-hidden">{failures ?? runWords[run.status]}</span>
        </span>
      )}
    </span>
  );
}

/**
 * The progress of a loop: `23/50`. A node in a loop shows its number of runs, and before it the number of
 * those that failed.
 */
function progressText({
  status,
  count = 0,
  failed = 0,
  isLowerBound = false,
  done,
  total,
}: NodeRunState): string {
  if (count > 1)
    return status === 'failed' && failed > 0
      ? `${countText(failed, isLowerBound)}/${countText(count, isLowerBound)}`
      : countText(count, isLowerBound);
  if (done === undefined) return '';
  return total === undefined ? countText(done, isLowerBound) : `${done}/${total}`;
}

/** How many runs of a node in a loop failed; null if none did or it ran once. */
function failuresText({ status, count = 0, failed = 0 }: NodeRunState): string | null {
  return status === 'failed' && count > 1 && failed > 0
    ? t('{{failed}} of {{total}} runs failed', { failed, total: count })
    : null;
}

function NameInput({ entry }: { entry: Entry }) {
  const { editor, actions, ui } = useCanvas();
  const title = getNodeTitle(entry, editor.catalog);
  const [text, setText] = useState(title);
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => input.current?.select(), []);
  const end = (isKept: boolean): void => {
    if (isDone.current) return;
    isDone.current = true;
    if (isKept) actions.rename(entry.id, text === title ? (entry.name ?? '') : text);
    ui.show({ renaming: null });
    actions.focus();
  };
  return (
    <input
      ref={input}
      autoFocus
      className="step__input nodrag nopan"
      aria-label={t('Node name')}
      value={text}
      maxLength={200}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') end(true);
        if (event.key === 'Escape') end(false);
      }}
    />
  );
}
