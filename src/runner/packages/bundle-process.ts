import { writeSync } from 'node:fs';
import type { Message, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import type { FieldError } from '../../contract/errors.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { MAX_FAULTS, MAX_ISSUE, READY, type BundleAnswer, type BundleRequest } from './bundle-messages.ts';
import { treeOf } from './package-files.ts';
import { createResolver, type Place, type Resolution } from './module-resolver.ts';

/*
 * Main program of the bundling process. It parses untrusted code, which may take forever or crash the parser,
 * so it runs in a separate process with limits and is killed after a timeout. The code is never run. esbuild
 * receives every file from here and reads nothing from the machine.
 */

const SPACE = 'package';
/** The environment variable that packages read to detect development mode. */
const MODE = ['process', 'env', 'NODE_ENV'].join('.');
const HANDLER: Place = { path: null, file: 'handler.js' };
/** Separates the package path and the file path; neither can contain it. */
const SEPARATOR = ':';

function nameOf({ path, file }: Place): string {
  return path === null ? file : `${path}${SEPARATOR}${file}`;
}

function placeOf(name: string): Place {
  const at = name.indexOf(SEPARATOR);
  return at === -1 ? HANDLER : { path: name.slice(0, at), file: name.slice(at + 1) };
}

async function bundle({ handler, maxSource, packages }: BundleRequest): Promise<BundleAnswer> {
  const trees = packages.map(treeOf);
  const byPath = new Map(trees.map((tree) => [tree.path, tree]));
  const resolve = createResolver(trees);
  /** Why an import was not found, by importing file. */
  const reasons = new Map<string, string>();

  function answer(args: OnResolveArgs, resolution: Resolution): OnResolveResult | null {
    switch (resolution.kind) {
      case 'file':
        return { path: nameOf(resolution.place), namespace: SPACE, sideEffects: !resolution.pure };
      case 'empty':
        return { path: 'empty', namespace: 'nothing' };
      case 'refused':
        return { errors: [{ text: `the import ${JSON.stringify(args.path)} ${resolution.why}` }] };
      default:
        // Without a folder to search, esbuild reports an error, or in a `try` generates code that throws at
        // run time.
        reasons.set(`${args.importer}\n${args.path}`, resolution.why);
        return null;
    }
  }

  const plugin: Plugin = {
    name: 'packages',
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => {
        if (args.kind === 'entry-point') return { path: nameOf(HANDLER), namespace: SPACE };
        const kind = args.kind === 'require-call' || args.kind === 'require-resolve' ? 'require' : 'import';
        return answer(args, resolve(args.path, placeOf(args.importer), kind));
      });
      build.onLoad({ filter: /.*/, namespace: SPACE }, (args): OnLoadResult => {
        const { path, file } = placeOf(args.path);
        if (path === null) return { contents: handler, loader: 'js' };
        const contents = byPath.get(path)?.files.get(file);
        if (contents === undefined) return { errors: [{ text: 'the file does not exist' }] };
        return { contents, loader: file.endsWith('.json') ? 'json' : 'js' };
      });
      build.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: '', loader: 'js' }));
      build.onLoad({ filter: /.*/, namespace: 'file' }, () => ({
        errors: [{ text: 'reading files is not allowed' }],
      }));
    },
  };

  try {
    const { default: esbuild } = await import('esbuild');
    const built = await esbuild.build({
      entryPoints: ['handler'],
      outfile: 'bundle.js',
      absWorkingDir: '/',
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'neutral',
      target: 'esnext',
      charset: 'utf8',
      tsconfigRaw: '{}',
      define: { [MODE]: '"production"', global: 'globalThis' },
      logLevel: 'silent',
      logLimit: MAX_FAULTS,
      plugins: [plugin],
    });
    const source = built.outputFiles[0]?.text ?? '';
    if (source.length > maxSource)
      return refused([
        {
          field: 'dependencies',
          issue: `must have at most ${maxSource} characters with the handler, not ${source.length}`,
        },
      ]);
    const sizes: Record<string, number> = {};
    for (const [name, { bytesInOutput }] of Object.entries(
      built.metafile.outputs['bundle.js']?.inputs ?? {},
    )) {
      const { path } = placeOf(name.replace(`${SPACE}:`, ''));
      if (path !== null) sizes[path] = (sizes[path] ?? 0) + bytesInOutput;
    }
    return { kind: 'bundle', source, sizes };
  } catch (error) {
    const { errors } = error as { errors?: readonly Message[] };
    if (!Array.isArray(errors)) throw error;
    return refused(errors.slice(0, MAX_FAULTS).map((message) => faultOf(message, reasons)));
  }
}

/** esbuild names our files in the form `package:left-pad:index.js`. */
function faultOf({ text, location }: Message, reasons: ReadonlyMap<string, string>): FieldError {
  const name = (location?.file ?? '').replace(`${SPACE}:`, '');
  const { path, file } = placeOf(name);
  const [, asked] = /^Could not resolve "(.*)"$/s.exec(text) ?? [];
  const why = asked === undefined ? undefined : reasons.get(`${name}\n${asked}`);
  const said = why === undefined ? text : `the import ${JSON.stringify(asked)} ${why}`;
  const line = location === null ? '' : `, line ${location.line}`;
  if (path === null)
    return { field: 'handler', issue: `${said} (line ${location?.line ?? 1})`.slice(0, MAX_ISSUE) };
  return {
    field: appendKey('dependencies', path),
    issue: `cannot be bundled: ${said} (in ${file}${line})`.slice(0, MAX_ISSUE),
  };
}

function refused(faults: FieldError[]): BundleAnswer {
  return { kind: 'refused', faults };
}

function say(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

say(READY);
const pieces: Buffer[] = [];
for await (const piece of process.stdin) pieces.push(piece as Buffer);
const answer = await bundle(JSON.parse(Buffer.concat(pieces).toString('utf8')) as BundleRequest);
say(JSON.stringify(answer));
process.exit(0);
