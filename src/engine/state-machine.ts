import { executionStatuses, nodeRunStatuses } from '../contract/execution.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { executionTransitions, nodeRunTransitions } from './transitions.ts';

type Table = Readonly<Record<string, { from: readonly string[]; to: string; fenced?: boolean }>>;

const executionMeanings: Record<string, string> = {
  begin: 'a worker starts it',
  park: 'nothing to do until a time',
  wake: 'the time has come',
  complete: 'every node is settled, or a `stop` node says so',
  fail: 'a failure that no `error` port takes, the end of its time, or a `stop` node',
  stop: 'somebody stops it',
};

const nodeRunMeanings: Record<string, string> = {
  start: 'an attempt begins',
  wait: 'it waits for a time, or for its next attempt',
  interrupt: 'its process ended while it ran: it may start again',
  complete: 'it ended with outputs',
  fail: 'its last attempt failed',
  skip: 'no connection delivered anything',
  stop: 'what it belongs to ended first',
};

/** The page of statuses and moves in Markdown, from the tables that the engine works by. */
export function stateMachine(): string {
  return [
    '# Statuses and the moves between them',
    '',
    'Generated from `src/engine/transitions.ts`; a test holds it fresh.',
    '',
    '## Executions',
    '',
    ...diagram(executionStatuses, executionTransitions),
    '',
    ...markdownTable(
      ['move', 'from', 'to', 'when', 'needs the fence'],
      Object.entries(executionTransitions).map(([name, { from, to, fenced }]) => [
        `\`${name}\``,
        from.join(', '),
        to,
        executionMeanings[name] ?? '',
        fenced ? 'yes' : 'no: it takes it away',
      ]),
    ),
    '',
    'A move that happens within one commit is not seen: an execution that was created, ran and ended before its first row',
    'was written is first seen as `completed`. Nothing leaves `completed`, `failed` and `stopped`.',
    '',
    '## Node runs',
    '',
    ...diagram(nodeRunStatuses, nodeRunTransitions),
    '',
    ...markdownTable(
      ['move', 'from', 'to', 'when'],
      Object.entries(nodeRunTransitions).map(([name, { from, to }]) => [
        `\`${name}\``,
        from.join(', '),
        to,
        nodeRunMeanings[name] ?? '',
      ]),
    ),
    '',
    'A node run that is still `pending` when what it belongs to ends is shown as `skipped`.',
    '',
  ].join('\n');
}

function diagram(statuses: readonly string[], moves: Table): string[] {
  const entries = Object.entries(moves);
  const [first] = statuses;
  const ends = statuses.filter((status) => !entries.some(([, { from }]) => from.includes(status)));
  return [
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${first ?? ''}`,
    ...entries.flatMap(([name, { from, to }]) => from.map((status) => `  ${status} --> ${to}: ${name}`)),
    ...ends.map((status) => `  ${status} --> [*]`),
    '```',
  ];
}
