// A figure is valid only if everything that was acknowledged can be read back. Counts and compares executions
// through REST.
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rest } from './service.ts';
import type { Workload } from './workloads.ts';

const SAMPLE_COUNT = 25;
const SETTLE_MS = 15_000;

type List = {
  executions: { id: string; status: string }[];
  pagination: { total: number; total_pages: number };
};
type NodeRun = { node_id: string; status: string; output: unknown };
type Detail = { id: string; status: string; nodes: NodeRun[] };

export type ReadBack = {
  readonly stored: number;
  readonly sampled: number;
  /** One line for each difference; empty when there is none. */
  readonly differences: readonly string[];
};

const listPath = (workflow: string, page: number, limit: number, status?: string) =>
  `/workflows/${workflow}/executions?page=${page}&limit=${limit}${status === undefined ? '' : `&status=${status}`}`;

async function total(rest: Rest, workflow: string, status?: string): Promise<number> {
  const list = await rest<List>('GET', listPath(workflow, 1, 1, status));
  return list.pagination.total;
}

/**
 * Requests that were cut off when the load ended may have been accepted. Waits until they end, with a time
 * limit.
 */
async function settled(rest: Rest, workflow: string): Promise<{ stored: number; completed: number }> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const stored = await total(rest, workflow);
    const completed = await total(rest, workflow, 'completed');
    if (stored === completed || performance.now() > deadline) return { stored, completed };
    await sleep(100);
  }
}

// Only expected fields of objects are compared. The trigger's output also contains headers.
function holds(actual: unknown, expected: unknown): boolean {
  if (expected === undefined) return true;
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) {
    return isDeepStrictEqual(actual, expected);
  }
  return Object.entries(expected).every(([key, value]) =>
    isDeepStrictEqual((actual as Record<string, unknown>)[key], value),
  );
}

function findDifferences(detail: Detail, workload: Workload): string[] {
  const differences = detail.status === 'completed' ? [] : [`${detail.id} is ${detail.status}`];
  for (const [id, expected] of Object.entries(workload.outputs)) {
    const run = detail.nodes.find((candidate) => candidate.node_id === id);
    if (run?.status !== 'completed')
      differences.push(`${detail.id}: node ${id} is ${run?.status ?? 'missing'}`);
    else if (!holds(run.output, expected))
      differences.push(`${detail.id}: node ${id} has an unexpected output`);
  }
  return differences;
}

/** `acknowledged` responses were received. Up to `inFlight` more may have been accepted and cut off. */
export async function readBack(
  rest: Rest,
  workflow: string,
  workload: Workload,
  acknowledged: number,
  inFlight: number,
): Promise<ReadBack> {
  const { stored, completed } = await settled(rest, workflow);
  const differences: string[] = [];
  if (stored < acknowledged) differences.push(`${acknowledged} were acknowledged, ${stored} are stored`);
  if (stored > acknowledged + inFlight)
    differences.push(`${acknowledged} were acknowledged, but ${stored} are stored`);
  if (completed !== stored) differences.push(`${stored - completed} of ${stored} did not complete`);
  const pages = Math.max(1, Math.ceil(stored / 100));
  let sampled = 0;
  for (let index = 0; index < Math.min(SAMPLE_COUNT, stored); index += 1) {
    const page = 1 + Math.floor((index * pages) / SAMPLE_COUNT);
    const list = await rest<List>('GET', listPath(workflow, page, 100));
    const item = list.executions[(index * 37) % Math.max(1, list.executions.length)];
    if (item === undefined) {
      differences.push(`page ${page} of the list is empty`);
      continue;
    }
    differences.push(...findDifferences(await rest<Detail>('GET', `/executions/${item.id}`), workload));
    sampled += 1;
  }
  return { stored, sampled, differences };
}
