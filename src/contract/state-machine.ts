import { executionStatuses, nodeRunStatuses } from './execution.ts';
import { formatMarkdownTable } from '../lib/text/markdown-table.ts';
import { executionTransitions, nodeRunTransitions } from './transitions.ts';

type Table = Readonly<Record<string, { from: readonly string[]; to: string; fenced?: boolean }>>;

const executionMeanings: Record<string, string> = {
  begin: 'a worker starts the execution',
  park: 'only waits are left',
  wake: 'a wait ends',
  complete: 'every node has ended, or a `stop` node completes the execution',
  fail: 'an error without a connected `error` port, a timeout, or a `stop` node',
  stop: 'a user stops the execution',
};

const nodeRunMeanings: Record<string, string> = {
  start: 'an attempt begins',
  wait: 'the node waits for a time or for its next attempt',
  interrupt: 'the process ended during the attempt; the node can start again',
  complete: 'the attempt returned outputs',
  fail: 'the last attempt failed',
  skip: 'no connection delivered a value',
  stop: 'the execution or the enclosing node ended first',
};

/** Returns the Markdown page of statuses and transitions, generated from the engine's tables. */
export function formatStateMachine(): string {
  return [
    '# Statuses and transitions',
    '',
    'This page lists the statuses of executions and node runs, and the transitions between them.',
    'Generated from `src/contract/transitions.ts`; a test checks that this page is current.',
    '',
    '## Executions',
    '',
    ...diagram(executionStatuses, executionTransitions),
    '',
    ...formatMarkdownTable(
      ['transition', 'from', 'to', 'when', 'needs the fencing token'],
      Object.entries(executionTransitions).map(([name, { from, to, fenced }]) => [
        `\`${name}\``,
        from.join(', '),
        to,
        executionMeanings[name] ?? '',
        fenced ? 'yes' : 'no; invalidates it',
      ]),
    ),
    '',
    'Transitions within one commit are not visible: an execution that starts and ends before its first commit is first',
    'visible as `completed`. `completed`, `failed` and `stopped` are terminal.',
    '',
    '## Node runs',
    '',
    ...diagram(nodeRunStatuses, nodeRunTransitions),
    '',
    ...formatMarkdownTable(
      ['transition', 'from', 'to', 'when'],
      Object.entries(nodeRunTransitions).map(([name, { from, to }]) => [
        `\`${name}\``,
        from.join(', '),
        to,
        nodeRunMeanings[name] ?? '',
      ]),
    ),
    '',
    'A node run that is still `pending` when its execution or enclosing node ends is shown as `skipped`.',
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
