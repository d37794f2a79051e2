import { Bot, UserRound, Wrench } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { NodeRun } from 'weft-client';
import { formatCost, countText } from '../../ui/amounts.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { createLazyComponent } from '../../ui/lazy-component.tsx';
import { formatDuration, timeText } from '../../ui/time.tsx';
import { ResponseBody } from '../failure-view.tsx';
import { t, tPlural } from '../../i18n/index.ts';
import type { Conversation, ToolCall, Turn } from './conversation.ts';

/** Characters of arguments and results in a row; the data of the run has all. */
const PREVIEW_LENGTH = 300;

const Markdown = createLazyComponent(async () => (await import('../../ui/markdown.tsx')).Markdown);

type Choose = (nodeId: string, path: string) => void;

/** The turns and tool calls of agents as conversations. The line of each opens the data of its node run. */
export function ConversationView({
  conversations,
  selectedNodeId,
  onChoose,
  getTitle,
}: {
  conversations: readonly Conversation[];
  /** The selected node. */
  selectedNodeId: string | null;
  onChoose: Choose;
  getTitle: (nodeId: string) => string;
}) {
  const [opened, setOpened] = useState<{ nodeId: string; path: string } | null>(null);
  const selectedPath = opened !== null && opened.nodeId === selectedNodeId ? opened.path : null;
  const open: Choose = (nodeId, path) => {
    setOpened({ nodeId, path });
    onChoose(nodeId, path);
  };
  return (
    <div className="conversation">
      {conversations.map((one) => (
        <section key={one.agent.path} aria-label={getTitle(one.agent.node_id)}>
          {conversations.length > 1 && <h3 className="panel__subtitle">{getTitle(one.agent.node_id)}</h3>}
          <ol className="conversation__list">
            {one.prompt !== '' && (
              <li className="conversation__message conversation__message--user">
                <span className="conversation__icon" aria-hidden="true">
                  <UserRound size={15} />
                </span>
                <p className="conversation__text">
                  <span className="visually-hidden">{t('Prompt')}: </span>
                  {one.prompt}
                </p>
              </li>
            )}
            {one.turns.map((turn) => (
              <TurnRow key={turn.run.path} turn={turn} selectedPath={selectedPath} onChoose={open} />
            ))}
          </ol>
          <p className="conversation__total faint numbers">
            {[
              tPlural(one.turns.length, '{{count}} turn', '{{count}} turns'),
              tPlural(one.tokens, '{{number}} token', '{{number}} tokens', {
                number: countText(one.tokens),
              }),
              ...(one.cost === null ? [] : [formatCost(one.cost)]),
            ].join(' · ')}
          </p>
        </section>
      ))}
    </div>
  );
}

function TurnRow({
  turn: { number: index, run, isKept, text, tokens, cost, calls },
  selectedPath,
  onChoose,
}: {
  turn: Turn;
  selectedPath: string | null;
  onChoose: Choose;
}) {
  const figures = [
    t('Turn {{number}}', { number: index + 1 }),
    ...(tokens === null
      ? []
      : [
          t('{{input}} → {{output}} tokens', {
            input: countText(tokens.input),
            output: countText(tokens.output),
          }),
        ]),
    ...(cost === null ? [] : [formatCost(cost)]),
    ...(run.duration === null ? [] : [formatDuration(run.duration)]),
    ...(run.start_time === null ? [] : [timeText(Date.parse(run.start_time))]),
  ];
  return (
    <li className="conversation__message">
      <span className="conversation__icon conversation__icon--model" aria-hidden="true">
        <Bot size={15} />
      </span>
      <div className="conversation__turn">
        <button
          type="button"
          className="conversation__open"
          aria-pressed={selectedPath === run.path}
          onClick={() => onChoose(run.node_id, run.path)}
        >
          <span className="conversation__figures faint numbers">
            {figures.join(' · ')}
            {isKept && <Badge>{t('Kept')}</Badge>}
            {run.status !== 'completed' && <StatusBadge status={run.status} />}
          </span>
          {run.error !== null && <span className="conversation__error">{run.error.message}</span>}
        </button>
        {text !== '' && (
          <div className="conversation__response">
            <Suspense fallback={<p className="conversation__text">{text}</p>}>
              <Markdown text={text} />
            </Suspense>
          </div>
        )}
        {calls.map((call, i) => (
          <CallRow key={i} call={call} selectedPath={selectedPath} onChoose={onChoose} />
        ))}
      </div>
    </li>
  );
}

/** A tool call. A call that did not run has no data to open. */
function CallRow({
  call: { name, arguments: args, runs, status, result },
  selectedPath,
  onChoose,
}: {
  call: ToolCall;
  selectedPath: string | null;
  onChoose: Choose;
}) {
  const run: NodeRun | undefined = runs.at(-1);
  const failure = status === 'failed' ? (runs.findLast(({ error }) => error !== null)?.error ?? null) : null;
  const content = (
    <>
      <Wrench size={13} aria-hidden="true" />
      <span className="conversation__call">
        <code>
          {name}({preview(args)})
        </code>
        {failure !== null ? (
          <span className="conversation__error">
            {failure.message}
            <ResponseBody error={failure} />
          </span>
        ) : (
          result !== undefined && <code className="faint">{preview(result)}</code>
        )}
      </span>
      {status === 'refused' ? (
        <Badge tone="warn">{t('Not run')}</Badge>
      ) : (
        status !== 'completed' && <StatusBadge status={status} />
      )}
      {run != null && run.duration !== null && (
        <span className="faint numbers">{formatDuration(run.duration)}</span>
      )}
    </>
  );
  if (run === undefined) return <div className="conversation__tool">{content}</div>;
  return (
    <button
      type="button"
      className="conversation__tool"
      aria-pressed={selectedPath === run.path}
      onClick={() => onChoose(run.node_id, run.path)}
    >
      {content}
    </button>
  );
}

function preview(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH)}…` : text;
}
