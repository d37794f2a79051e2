import path from 'node:path';
import type { ZipFile } from 'yauzl';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { FieldError } from '../../contract/errors.ts';
import type { NodeContext, Outcome } from '../../contract/node-type.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { RegexError } from '../../lib/text/regex.ts';
import { defineNode } from '../define-node.ts';
import { output } from '../output-schema.ts';
import { closed, tagged } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { DataError } from '../data/data-error.ts';
import { describeType } from '../data/items.ts';
import { StoppedError, toOutcome } from '../data/time-slice.ts';
import { createOutcome, outputField, readValue, valueField } from '../data/value.ts';
import { isFileReference, loadContent } from '../http/file-field.ts';
import { openFile } from './file-input.ts';
import { filenameField, fileReference } from './file-output.ts';
import { compilePathPattern } from './path-pattern.ts';
import type { ZipEntry } from './zip-reader.ts';
import type { ZipMember } from './zip-writer.ts';

/** Entries of an archive that is read, and files that are extracted or added. */
const MAX_ENTRIES = 50_000;
const MAX_FILES = 1_000;
/** Bytes of all extracted files together. */
const MAX_EXTRACTED_BYTES = 4 * 1024 ** 3;
const MAX_PATH_LENGTH = 1_000;

const fileValue = valueField('The ZIP file ({"$file": …})');
const include = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    default: '**',
    title: 'Files',
    ...ui({ placeholder: '**/*.csv' }),
    description:
      'Which files: a path, or a pattern in which * is any text within a folder and ** any folders, such as **/*.csv.',
  }),
);

const Extract = closed(
  { operation: Type.Literal('extract'), value: fileValue, include, output: outputField() },
  {
    title: 'Extract',
    ...output(Type.Array(Type.Object({ path: Type.String(), size: Type.Integer(), file: fileReference }))),
  },
);

const List = closed(
  { operation: Type.Literal('list'), value: fileValue, include, output: outputField() },
  {
    title: 'List',
    ...output(Type.Array(Type.Object({ path: Type.String(), size: Type.Integer() }))),
  },
);

const Create = closed(
  {
    operation: Type.Literal('create'),
    files: Type.Unsafe<Json[]>({
      type: ['array', 'string'],
      maxItems: MAX_FILES,
      title: 'Files',
      description:
        'The files to add: each a file ({"$file": …}), or {path, content} with a file or text as content. A template may return the list.',
    }),
    filename: filenameField('files.zip'),
    output: outputField(),
  },
  { title: 'Create', ...output(fileReference) },
);

const config = tagged('operation', [Extract, List, Create]);
type Config = Static<typeof config>;
type CreateConfig = Static<typeof Create>;

export const zip = defineNode({
  type: 'zip',
  version: '1.0.0',
  name: 'ZIP',
  category: 'data',
  description:
    'Extracts the files of a ZIP file, lists them, or creates a ZIP file. Files are read and written in pieces, so they may be larger than the memory.',
  icon: 'file-archive',
  keywords: ['archive', 'compress', 'decompress', 'unzip', 'extract', 'unpack', 'pack'],
  config,
  templates: { operation: 'literal', output: 'literal' },
  outputs: [{ name: 'out', type: 'any', description: 'The list of files, or the ZIP file' }],
  // New files belong to their execution, which must be on disk.
  effects: 'external',
  check: checkFiles,
  run: (ctx, given, input) => run(ctx, given as Config, input).catch(toOutcome),
  examples: [
    {
      title: 'Create a ZIP file',
      config: {
        operation: 'create',
        files: [{ path: 'notes/readme.txt', content: 'All is well.' }],
        filename: 'notes.zip',
      },
      input: {},
      outputs: {
        out: { $file: { id: 'file_17', name: 'notes.zip', content_type: 'application/zip', size: 146 } },
      },
    },
    {
      title: 'Extract the CSV files',
      config: { operation: 'extract', value: '{{ input.body }}', include: '**/*.csv' },
      input: {
        body: { $file: { id: 'file_17', name: 'data.zip', content_type: 'application/zip', size: 9000 } },
      },
      outputs: {
        out: [
          {
            path: 'export/rows.csv',
            size: 52_000,
            file: {
              $file: { id: 'file_18', name: 'rows.csv', content_type: 'text/csv', size: 52_000 },
            },
          },
        ],
      },
    },
  ],
});

async function run(ctx: NodeContext, given: Config, input: Json): Promise<Outcome> {
  if (given.operation === 'create') return create(ctx, given, input);
  const { include: pattern = '**' } = given;
  const file = await openFile(ctx, readValue(given, input), 'value');
  const { listEntries, openZip } = await import('./zip-reader.ts');
  const archive = await openZip(file);
  try {
    const matches = compilePattern(pattern);
    const entries = (await listEntries(archive, MAX_ENTRIES, ctx.signal)).filter((entry) =>
      matches(entry.path),
    );
    stopIfAborted(ctx);
    return given.operation === 'list'
      ? createOutcome(
          given,
          input,
          entries.map(({ path: name, size }) => ({ path: name, size })),
        )
      : createOutcome(given, input, await extract(ctx, archive, entries));
  } finally {
    archive.close();
  }
}

/** @throws {DataError} */
function compilePattern(pattern: string): (path: string) => boolean {
  try {
    return compilePathPattern(pattern);
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    throw new DataError('include', 'must be a pattern such as **/*.csv');
  }
}

async function extract(ctx: NodeContext, archive: ZipFile, entries: readonly ZipEntry[]): Promise<Json[]> {
  if (entries.length > MAX_FILES)
    throw new DataError('include', `must match at most ${MAX_FILES} files, not ${entries.length}`, 'limit');
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_EXTRACTED_BYTES)
    throw new DataError(
      'value',
      `must have at most ${MAX_EXTRACTED_BYTES} bytes of files, not ${total}`,
      'limit',
    );
  const { readEntry } = await import('./zip-reader.ts');
  const files: Json[] = [];
  for (const entry of entries) {
    stopIfAborted(ctx);
    const file = await ctx.files.save({
      name: path.posix.basename(entry.path),
      contentType: getContentType(entry.path),
      bytes: stopOnAbort(ctx, readEntry(archive, entry)),
    });
    files.push({ path: entry.path, size: file.$file.size, file });
  }
  return files;
}

async function create(ctx: NodeContext, given: CreateConfig, input: Json): Promise<Outcome> {
  for (const { field, issue } of checkFiles(given)) throw new DataError(field, issue);
  const members: ZipMember[] = [];
  const paths = new Set<string>();
  for (const [i, one] of given.files.entries()) {
    const member = await loadMember(ctx, one, `files[${i}]`);
    if (paths.has(member.path))
      throw new DataError(`files[${i}].path`, `must not be used twice: ${member.path}`);
    paths.add(member.path);
    members.push(member);
  }
  const { writeZip } = await import('./zip-writer.ts');
  const file = await ctx.files.save({
    name: given.filename ?? 'files.zip',
    contentType: 'application/zip',
    bytes: stopOnAbort(ctx, writeZip(members, new Date(ctx.now()))),
  });
  return createOutcome(given, input, file);
}

async function loadMember(ctx: NodeContext, one: Json, at: string): Promise<ZipMember> {
  const spec: JsonObject = isObject(one) && !isFileReference(one) ? one : { content: one };
  const loaded = await loadContent(ctx, spec['content']);
  if (typeof loaded === 'string') throw new DataError(isFileReference(one) ? at : `${at}.content`, loaded);
  const name = spec['path'] ?? loaded.name;
  if (typeof name !== 'string') throw new DataError(`${at}.path`, 'is required if content is a string');
  return { path: name, content: loaded.content };
}

/** Validates the list without opening files; what templates produce is validated again when the node runs. */
function checkFiles({ operation, files }: { operation?: Json; files?: Json }): FieldError[] {
  if (operation !== 'create' || files === undefined) return [];
  if (typeof files === 'string' && files.includes('{{')) return [];
  if (!Array.isArray(files)) return [{ field: 'files', issue: `must be a list, not ${describeType(files)}` }];
  return files.flatMap((one, i): FieldError[] => {
    const at = `files[${i}]`;
    if (isFileReference(one) || (typeof one === 'string' && one.includes('{{'))) return [];
    if (!isObject(one))
      return [
        { field: at, issue: `must be a file ({"$file": …}) or {path, content}, not ${describeType(one)}` },
      ];
    const unknown = Object.keys(one).find((name) => name !== 'path' && name !== 'content');
    if (unknown !== undefined)
      return [{ field: `${at}.${unknown}`, issue: 'is not a known field; known are path, content' }];
    return checkPath(one['path'], `${at}.path`);
  });
}

function checkPath(name: Json | undefined, field: string): FieldError[] {
  if (name === undefined || (typeof name === 'string' && name.includes('{{'))) return [];
  const isValid =
    typeof name === 'string' &&
    name !== '' &&
    name.length <= MAX_PATH_LENGTH &&
    !/[\\\p{Cc}]|^\/|^[A-Za-z]:|\/$/u.test(name) &&
    !name.split('/').includes('..');
  return isValid
    ? []
    : [{ field, issue: 'must be a relative path such as folder/name.txt, without .. or backslashes' }];
}

async function* stopOnAbort(
  ctx: NodeContext,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  for await (const piece of bytes) {
    stopIfAborted(ctx);
    yield piece;
  }
}

function stopIfAborted(ctx: NodeContext): void {
  if (ctx.signal.aborted) throw new StoppedError();
}

/** Content types that other nodes distinguish, by extension. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  html: 'text/html',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

function getContentType(name: string): string {
  const extension = path.posix.extname(name).slice(1).toLowerCase();
  return (Object.hasOwn(CONTENT_TYPES, extension) && CONTENT_TYPES[extension]) || 'application/octet-stream';
}
