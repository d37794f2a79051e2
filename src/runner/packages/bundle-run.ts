import { fileURLToPath } from 'node:url';
import { isObject, type Json } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { listIsolationLevels, type Launch } from '../sandbox/isolation-launcher.ts';
import { runOnce } from '../sandbox/single-run.ts';
import { MAX_ERRORS, MAX_ISSUE_LENGTH, type BundleResponse, type BundleRequest } from './bundle-messages.ts';

/** The result of a bundling process: its response, or the reason why there is none. */
export type BundleRun = BundleResponse | { kind: 'late' } | { kind: 'broken' } | { kind: 'unavailable' };

/** Maximum size of a response in bytes: a character of the source takes at most six bytes of JSON. */
const MAX_RESPONSE_BYTES = 6 * limits.bundleChars + 1024 * 1024;
/** Limits per process: bytes of data and seconds of CPU time. */
const MAX_DATA_BYTES = 2 * 1024 * 1024 * 1024;
const PROGRAM_HEAP_MB = 512;

/** Returns the ways to start the bundling process, strongest isolation first. */
export function listBundlerLaunches(): Launch[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(
    new URL(isSource ? './bundle-process.ts' : './bundle-process.js', import.meta.url),
  );
  return listIsolationLevels(
    ['--no-warnings', `--max-old-space-size=${PROGRAM_HEAP_MB}`, file],
    ['--nofile=256', `--data=${MAX_DATA_BYTES}`, `--cpu=${Math.ceil(limits.bundlingMs / 1000)}`],
  );
}

/** Bundles in a new process, started in the first way that works and ended afterwards. Never rejects. */
export async function runBundler(
  request: BundleRequest,
  signal: AbortSignal,
  ways: readonly Launch[],
): Promise<BundleRun> {
  const run = await runOnce({
    request: JSON.stringify(request),
    launches: ways,
    // esbuild needs the path of its binary, and the Go runtime its memory limit.
    env: { GOMAXPROCS: '2', GOMEMLIMIT: '768MiB' },
    timeout: limits.bundlingMs,
    maxBytes: MAX_RESPONSE_BYTES,
    signal,
  });
  return run.kind === 'response' ? readResponse(run.bytes.toString('utf8')) : run;
}

/** Validates the response, because the process handles untrusted code. */
function readResponse(text: string): BundleRun {
  let response: Json;
  try {
    response = JSON.parse(text) as Json;
  } catch {
    return { kind: 'broken' };
  }
  if (!isObject(response)) return { kind: 'broken' };
  const { kind, source, sizes, errors } = response;
  if (kind === 'refused' && Array.isArray(errors)) {
    const read = errors.slice(0, MAX_ERRORS).flatMap((error) => {
      const { field, issue } = isObject(error) ? error : {};
      return typeof field === 'string' && typeof issue === 'string'
        ? [{ field: field.slice(0, MAX_ISSUE_LENGTH), issue: issue.slice(0, MAX_ISSUE_LENGTH) }]
        : [];
    });
    return read.length === 0 ? { kind: 'broken' } : { kind: 'refused', errors: read };
  }
  if (kind !== 'bundle' || typeof source !== 'string' || !isObject(sizes)) return { kind: 'broken' };
  if (source.length > limits.bundleChars) return { kind: 'broken' };
  const counts = Object.entries(sizes).filter((one): one is [string, number] => typeof one[1] === 'number');
  return { kind: 'bundle', source, sizes: Object.fromEntries(counts) };
}
