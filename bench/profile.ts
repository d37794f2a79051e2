// V8 CPU profiles of a run, by source file and function, one profile for each thread.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from './service.ts';

const SHOWN_FUNCTIONS = 30;
const SHOWN_AREAS = 16;

type Frame = { functionName: string; url: string; lineNumber: number; columnNumber: number };
type CpuProfile = {
  nodes: { id: number; callFrame: Frame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
};

export type Profiling = { readonly nodeArgs: readonly string[]; readonly lines: () => string[] };

/** Arguments for the profiled process. `lines` are available after it has ended. */
export function createProfiling(): Profiling {
  const folder = mkdtempSync('/tmp/weft-profile-');
  return {
    nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'],
    lines: () => {
      const files = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'));
      const lines = files.flatMap((file) =>
        summary(JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as CpuProfile),
      );
      rmSync(folder, { recursive: true, force: true });
      return lines;
    },
  };
}

const maps = new Map<string, SourceMap | undefined>();

function sourceMap(file: string): SourceMap | undefined {
  if (!maps.has(file)) {
    const text = existsSync(`${file}.map`) ? readFileSync(`${file}.map`, 'utf8') : undefined;
    maps.set(file, text === undefined ? undefined : new SourceMap(JSON.parse(text) as SourceMapPayload));
  }
  return maps.get(file);
}

/**
 * `src/engine/worker.ts run`. `(garbage collector)`, `(program)`, `(idle)` and functions of Node keep their
 * names.
 */
function formatFrame({ functionName, url, lineNumber, columnNumber }: Frame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (!url.startsWith('file:')) return url === '' ? name : `${url} ${name}`;
  const file = fileURLToPath(url);
  const entry = sourceMap(file)?.findEntry(lineNumber, columnNumber);
  if (entry === undefined || !('originalSource' in entry))
    return `${path.relative(projectRoot, file)} ${name}`;
  const source = path.resolve(path.dirname(file), entry.originalSource.replace(/^file:\/\//, ''));
  return `${path.relative(projectRoot, source)}:${entry.originalLine + 1} ${name}`;
}

/**
 * `src/engine`, `node_modules/pg`: the owner of the running code. Functions of Node belong to their caller.
 */
function areas(profile: CpuProfile): Map<number, string> {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const found = new Map<number, string>();
  const open: [id: number, above: string][] =
    profile.nodes[0] === undefined ? [] : [[profile.nodes[0].id, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [id, above] = next;
    const { callFrame, children = [] } = byId.get(id)!;
    const own = /^[^ ]+\/[^ ]+/.exec(formatFrame(callFrame))?.[0].split('/') ?? [];
    const isOurs = own[0] === 'src' || own[0] === 'node_modules';
    const isScoped = own[1]?.startsWith('@') === true || (own[1] === 'store' && own.length > 3);
    const area = isOurs ? own.slice(0, isScoped ? 3 : 2).join('/') : above === '' ? 'node' : above;
    found.set(id, callFrame.functionName === '(garbage collector)' ? 'garbage collector' : area);
    for (const child of children) open.push([child, isOurs ? area : above]);
  }
  return found;
}

function summary(profile: CpuProfile): string[] {
  const places = new Map(profile.nodes.map((node) => [node.id, formatFrame(node.callFrame)]));
  const micros = new Map<string, number>();
  const areaById = areas(profile);
  const byArea = new Map<string, number>();
  let idle = 0;
  let busy = 0;
  profile.samples.forEach((id, index) => {
    const at = places.get(id) ?? '?';
    const took = profile.timeDeltas[index] ?? 0;
    if (at === '(idle)') idle += took;
    else {
      busy += took;
      micros.set(at, (micros.get(at) ?? 0) + took);
      const area = areaById.get(id) ?? 'node';
      byArea.set(area, (byArea.get(area) ?? 0) + took);
    }
  });
  const top = [...micros].sort(([, a], [, b]) => b - a).slice(0, SHOWN_FUNCTIONS);
  return [
    `thread: ${(busy / 1e6).toFixed(1)} s busy, ${(idle / 1e6).toFixed(1)} s idle; share of the busy time, by function:`,
    `  by area: ${[...byArea]
      .sort(([, a], [, b]) => b - a)
      .slice(0, SHOWN_AREAS)
      .map(([area, took]) => `${area} ${((100 * took) / busy).toFixed(1)} %`)
      .join(', ')}`,
    ...top.map(([at, took]) => `  ${((100 * took) / busy).toFixed(1).padStart(5)} %  ${at}`),
  ];
}
