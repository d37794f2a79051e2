// The table of results, also as JSON.
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ReadBack } from './verify.ts';
import type { Target } from './targets.ts';
import type { Figures } from './wrk.ts';

export type ThroughputRow = {
  readonly workload: string;
  readonly connections: number;
  readonly f1?: Figures;
  readonly baseline: Figures;
  readonly weft: Figures;
  /** Resident memory of the service in MiB: after the load, and the peak. */
  readonly memory: number;
  readonly memoryPeak: number;
  readonly target?: Target;
  readonly readBack?: ReadBack;
};

export type FigureRow = {
  readonly what: string;
  readonly value: number;
  readonly unit: 'ms' | 'MiB' | '×' | '';
  /** The target is met when the value is below it. */
  readonly limit?: number;
};

export type Report = {
  readonly throughput: readonly ThroughputRow[];
  readonly figures: readonly FigureRow[];
};

const verdict = (reached: boolean) => (reached ? 'ok' : 'MISSED');

function formatVerdict(row: ThroughputRow): string {
  if (row.readBack !== undefined && row.readBack.differences.length > 0) return 'NOT READ BACK';
  if (row.target === undefined) return '';
  const { perSecond, p99 } = row.target;
  const speed = row.weft.perSecond / row.baseline.perSecond >= perSecond;
  const tail = p99 === undefined || row.weft.p99 / row.baseline.p99 <= p99;
  return verdict(speed && tail && row.weft.errors === 0);
}

function targetText(target: Target | undefined): string {
  if (target === undefined) return '';
  return `≥ ${target.perSecond.toFixed(2)}${target.p99 === undefined ? '' : `, p99 ≤ ${target.p99}×`}`;
}

const ms = (value: number) => value.toFixed(value < 10 ? 2 : 1);

function throughputLines(rows: readonly ThroughputRow[]): string[][] {
  const lines = [
    [
      'workload',
      'conn',
      'side',
      'req/s',
      'ratio',
      'p50 ms',
      'p99 ms',
      'p99 ratio',
      'errors',
      'MiB',
      'target',
      '',
    ],
  ];
  const plain = (row: ThroughputRow, side: string, figures: Figures) => [
    row.workload,
    String(row.connections),
    side,
    figures.perSecond.toFixed(0),
    '',
    ms(figures.p50),
    ms(figures.p99),
    '',
    String(figures.errors),
    '',
    '',
    '',
  ];
  for (const row of rows) {
    if (row.f1 !== undefined) lines.push(plain(row, 'F1', row.f1));
    lines.push(plain(row, row.workload === 'W3' ? 'F2+http' : 'F2', row.baseline));
    const weft = plain(row, 'Weft', row.weft);
    weft[4] = (row.weft.perSecond / row.baseline.perSecond).toFixed(2);
    weft[7] = (row.weft.p99 / row.baseline.p99).toFixed(2);
    weft[9] = row.memory.toFixed(0);
    weft[10] = targetText(row.target);
    weft[11] = formatVerdict(row);
    lines.push(weft);
  }
  return lines;
}

function figureLines(rows: readonly FigureRow[]): string[][] {
  return [
    ['figure', 'value', 'target', ''],
    ...rows.map(({ what, value, unit, limit }) => [
      what,
      `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`,
      limit === undefined ? '' : `< ${limit} ${unit}`,
      limit === undefined ? '' : verdict(value < limit),
    ]),
  ];
}

function table(lines: readonly string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  const pad = (cell: string, column: number) =>
    /^[\d.,]/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  const printed = lines.map((line) => `| ${line.map(pad).join(' | ')} |`);
  printed.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return printed.join('\n');
}

export function print(report: Report): void {
  if (report.throughput.length > 0) console.log(`\n${table(throughputLines(report.throughput))}`);
  if (report.figures.length > 0) console.log(`\n${table(figureLines(report.figures))}`);
  const read = new Map(report.throughput.map((row) => [row.workload, row.readBack]));
  for (const [workload, stored] of read) {
    if (stored === undefined) continue;
    const differences =
      stored.differences.length === 0 ? 'all as acknowledged' : stored.differences.join('\n  ');
    console.log(
      `\n${workload}: ${stored.stored} executions stored, ${stored.sampled} read in full: ${differences}`,
    );
  }
}

/** Writes bench/results/<time>.json and prints its path. */
export function save(report: Report): string {
  const folder = path.join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = path.join(folder, `${at.replaceAll(':', '-')}.json`);
  const machine = {
    node: process.version,
    cpus: os.cpus().length,
    cpu: os.cpus()[0]?.model,
    memory: os.totalmem(),
  };
  writeFileSync(file, `${JSON.stringify({ at, machine, ...report }, null, 2)}\n`);
  return file;
}

/** Whether every execution of every workload was stored as acknowledged. */
export function areAllReadBack(report: Report): boolean {
  return report.throughput.every(
    (row) => row.readBack === undefined || row.readBack.differences.length === 0,
  );
}
