import { describe, expect, test } from 'vitest';
import type { TimelineRun } from '../live-runs.ts';
import {
  computeBars,
  computeSpan,
  listTimedRuns,
  listTimelineItems,
  type TimelineItem,
} from './timeline-rows.ts';
import { countTriesByPath } from '../log/tries.ts';

const at = (ms: number): string => new Date(1_000_000 + ms).toISOString();

function run(path: string, start: number, end: number | null, more: Partial<TimelineRun> = {}): TimelineRun {
  return {
    node_id: path.slice(path.lastIndexOf('/') + 1),
    path,
    status: end === null ? 'running' : 'completed',
    start_time: at(start),
    end_time: end === null ? null : at(end),
    duration: end === null ? null : end - start,
    attempt: 1,
    ...more,
  };
}

/** A loop over `count` items whose iterations take 10 ms, one after the other. */
function loop(count: number, failed: readonly number[] = [], name = 'each', body = 'call'): TimelineRun[] {
  return [
    run(name, 0, count * 10),
    ...Array.from({ length: count }, (_, i) =>
      run(`${name}[${i}]/${body}`, i * 10, i * 10 + 9, failed.includes(i) ? { status: 'failed' } : {}),
    ),
  ];
}

const buildRows = (runs: readonly TimelineRun[], choices: Record<string, boolean> = {}): TimelineItem[] =>
  listTimelineItems(listTimedRuns(runs), new Map(Object.entries(choices)));

const formatRows = (items: readonly TimelineItem[]): string[] =>
  items.map(({ kind, key, depth }) => `${'  '.repeat(depth)}${kind === 'loop' ? '+' : ''}${key}`);

describe('the rows of a timeline', () => {
  test('without loops each run is a row, in the order of the starts', () => {
    expect(formatRows(buildRows([run('b', 5, 9), run('a', 0, 4), run('c', 9, null)]))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('a node that has not started has no row', () => {
    expect(buildRows([run('a', 0, 1, { start_time: null })])).toEqual([]);
  });

  test('a loop of up to five iterations is open, a longer one is one row', () => {
    expect(formatRows(buildRows(loop(2)))).toEqual(['+each', '  each[0]/call', '  each[1]/call']);
    expect(formatRows(buildRows(loop(6)))).toEqual(['+each']);
    expect(buildRows(loop(5), { each: false })).toHaveLength(1);
  });

  test('failed iterations come first, then the others in their order', () => {
    expect(formatRows(buildRows(loop(8, [5, 2]), { each: true })).slice(0, 5)).toEqual([
      '+each',
      '  each[2]/call',
      '  each[5]/call',
      '  each[0]/call',
      '  each[1]/call',
    ]);
  });

  test.each<[string, TimelineRun[], object]>([
    ['all ok', loop(50), { iterations: 50, ok: 50, failed: 0, running: 0, slowest: 9 }],
    ['two failed', loop(50, [3, 7]), { iterations: 50, ok: 48, failed: 2, running: 0, slowest: 9 }],
    [
      'one slow',
      [...loop(6), run('each[6]/call', 0, 755)],
      { iterations: 7, ok: 7, failed: 0, running: 0, slowest: 755 },
    ],
    [
      'one running',
      [...loop(6), run('each[6]/call', 60, null)],
      { iterations: 7, ok: 6, failed: 0, running: 1, slowest: 9 },
    ],
    [
      'several nodes in an iteration are one iteration',
      [...loop(6), ...Array.from({ length: 6 }, (_, i) => run(`each[${i}]/next`, i * 10 + 9, i * 10 + 12))],
      { iterations: 6, ok: 6, failed: 0, running: 0, slowest: 12 },
    ],
  ])('the summary: %s', (_name, runs, summary) => {
    expect(buildRows(runs)[0]).toMatchObject({ kind: 'loop', nodeId: 'each', summary });
  });

  test('a loop in a loop is folded for itself, and its failures count outside', () => {
    const inner = Array.from({ length: 7 }, (_, i) =>
      run(`each[1]/sub[${i}]/x`, 10 + i, 11 + i, i === 4 ? { status: 'failed' } : {}),
    );
    const runs = [run('each', 0, 30), run('each[0]/a', 0, 5), run('each[1]/sub', 10, 20), ...inner];
    const items = buildRows(runs);
    expect(formatRows(items)).toEqual(['+each', '  +each[1]/sub', '  each[0]/a']);
    expect(items[0]).toMatchObject({ summary: { iterations: 2, ok: 1, failed: 1 } });
    expect(items[1]).toMatchObject({ iteration: '1', summary: { iterations: 7, ok: 6, failed: 1 } });
    expect(formatRows(buildRows(runs, { 'each[1]/sub': true })).slice(2, 4)).toEqual([
      '    each[1]/sub[4]/x',
      '    each[1]/sub[0]/x',
    ]);
  });

  test('iterations whose loop node is not loaded still have one row', () => {
    const [row] = buildRows(loop(9).slice(1));
    expect(row).toMatchObject({ kind: 'loop', nodeId: 'each', own: null, summary: { iterations: 9 } });
  });

  test('a failed run among ten thousand is the first row of its loop', () => {
    const items = buildRows(loop(10_000, [9_999]), { each: true });
    expect(items[1]).toMatchObject({ key: 'each[9999]/call' });
    expect(items).toHaveLength(10_001);
  });
});

describe('the bars of a row', () => {
  const bars = (runs: readonly TimelineRun[], now = 0): string[] => {
    const began = listTimedRuns(runs);
    const [item] = listTimelineItems(began, new Map());
    const span = computeSpan(began, 1_000_000 + now);
    return computeBars(item!, began[0]!.start, span, 1_000_000 + now).map(
      ({ start, width, status, title }) =>
        `${status} ${Math.round(start * span)}+${Math.round(width * span)}${title === '' ? '' : ` ${title}`}`,
    );
  };
  const failed = (end: number, next: number | null) => ({
    end: at(end),
    error: 'responded with 503',
    next: next === null ? null : at(next),
  });

  test.each<[string, TimelineRun[], number, string[]]>([
    ['one try', [run('a', 0, 100)], 0, ['completed 0+100']],
    ['running', [run('a', 0, null)], 40, ['running 0+40']],
    [
      'three tries',
      [run('a', 0, 100, { attempt: 3, tries: [failed(10, 30), failed(40, 80)] })],
      0,
      [
        'failed 0+10 Try 1 of 3: responded with 503',
        'pause 10+20 Pause before try 2',
        'failed 30+10 Try 2 of 3: responded with 503',
        'pause 40+40 Pause before try 3',
        'completed 80+20 Try 3 of 3: completed',
      ],
    ],
    [
      'waiting for the next try',
      [run('a', 0, null, { status: 'waiting', attempt: 2, tries: [failed(10, 90)] })],
      50,
      ['failed 0+10 Try 1 of 2: responded with 503', 'pause 10+40 Pause before try 2'],
    ],
    ['a loop', loop(7), 0, ['loop 0+70']],
  ])('%s', (_name, runs, now, expected) => {
    expect(bars(runs, now)).toEqual(expected);
  });
});

test('failed tries are read from the log', () => {
  const line = { node_id: 'a', level: 'warning', timestamp: at(5) } as const;
  const tries = countTriesByPath([
    { ...line, message: 'Attempt 1 failed: no', data: { path: 'a', next_attempt_at: at(9) } },
    { ...line, message: 'Stopped after 3 pages', data: { path: 'a' } },
    { ...line, level: 'info', message: 'Started', data: { path: 'a' } },
  ]);
  expect([...tries]).toEqual([['a', [{ end: at(5), error: 'no', next: at(9) }]]]);
});
