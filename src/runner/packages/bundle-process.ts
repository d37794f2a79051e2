import type { Message, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import type { FieldError } from '../../contract/errors.ts';
import { appendKey } from '../../lib/json/json-path.ts';
import { respondOnce } from '../sandbox/request-program.ts';
import { MAX_ERRORS, MAX_ISSUE_LENGTH, type BundleResponse, type BundleRequest } from './bundle-messages.ts';
import { createTree } from './package-files.ts';
import { createResolver, type CodeLocation, type Resolution } from './module-resolver.ts';

/*
 * Main program of the bundling process. It parses untrusted code, which may take forever or crash the parser,
 * so it runs in a separate process with limits and is killed after a timeout. The code is never run. esbuild
 * receives every file from here and reads nothing from the machine.
 */

const NAMESPACE = 'package';
/** The environment variable that packages read to detect development mode. */
const NODE_ENV_EXPRESSION = ['process', 'env', 'NODE_ENV'].join('.');
const HANDLER: CodeLocation = { path: null, file: 'handler.js' };
/** Separates the package path and the file path; neither can contain it. */
const SEPARATOR = ':';

function formatModuleName({ path, file }: CodeLocation): string {
  return path === null ? file : `${path}${SEPARATOR}${file}`;
}

function parseModuleName(name: string): CodeLocation {
  const at = name.indexOf(SEPARATOR);
  return at === -1 ? HANDLER : { path: name.slice(0, at), file: name.slice(at + 1) };
}

async function bundle({ handler, maxSource, packages }: BundleRequest): Promise<BundleResponse> {
  const trees = packages.map(createTree);
  const byPath = new Map(trees.map((tree) => [tree.path, tree]));
  const resolve = createResolver(trees);
  /** Why an import was not found, by importing file. */
  const reasons = new Map<string, string>();

  function respond(args: OnResolveArgs, resolution: Resolution): OnResolveResult | null {
    switch (resolution.kind) {
      case 'file':
        return {
          path: formatModuleName(resolution.place),
          namespace: NAMESPACE,
          sideEffects: !resolution.hasNoSideEffects,
        };
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
        if (args.kind === 'entry-point') return { path: formatModuleName(HANDLER), namespace: NAMESPACE };
        const kind = args.kind === 'require-call' || args.kind === 'require-resolve' ? 'require' : 'import';
        return respond(args, resolve(args.path, parseModuleName(args.importer), kind));
      });
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, (args): OnLoadResult => {
        const { path, file } = parseModuleName(args.path);
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
      define: { [NODE_ENV_EXPRESSION]: '"production"', global: 'globalThis' },
      logLevel: 'silent',
      logLimit: MAX_ERRORS,
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
      const { path } = parseModuleName(name.replace(`${NAMESPACE}:`, ''));
      if (path !== null) sizes[path] = (sizes[path] ?? 0) + bytesInOutput;
    }
    return { kind: 'bundle', source, sizes };
  } catch (error) {
    const { errors } = error as { errors?: readonly Message[] };
    if (!Array.isArray(errors)) throw error;
    return refused(errors.slice(0, MAX_ERRORS).map((message) => toFieldError(message, reasons)));
  }
}

/** esbuild names our files in the form `package:left-pad:index.js`. */
function toFieldError({ text, location }: Message, reasons: ReadonlyMap<string, string>): FieldError {
  const name = (location?.file ?? '').replace(`${NAMESPACE}:`, '');
  const { path, file } = parseModuleName(name);
  const [, asked] = /^Could not resolve "(.*)"$/s.exec(text) ?? [];
  const why = asked === undefined ? undefined : reasons.get(`${name}\n${asked}`);
  const input = why === undefined ? text : `the import ${JSON.stringify(asked)} ${why}`;
  const line = location === null ? '' : `, line ${location.line}`;
  if (path === null)
    return { field: 'handler', issue: `${input} (line ${location?.line ?? 1})`.slice(0, MAX_ISSUE_LENGTH) };
  return {
    field: appendKey('dependencies', path),
    issue: `cannot be bundled: ${input} (in ${file}${line})`.slice(0, MAX_ISSUE_LENGTH),
  };
}

function refused(errors: FieldError[]): BundleResponse {
  return { kind: 'refused', errors };
}

await respondOnce((request) => bundle(JSON.parse(request) as BundleRequest));
