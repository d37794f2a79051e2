import type { Route } from '../src/api/rest/route.ts';
import { createTypePrinter, printDocComment, type Schema } from './client-types.ts';

/*
 * Rows of the REST table → methods of the client. `GET /workflows/{id}/versions` is
 * `workflows.versions.list(id)`: the words of the path are the group, and the verb of the operation's name is
 * the method. When two rows have the same method, the generator fails, and the operation needs an entry in
 * `named`.
 */

/** Operation → method, where the rule gives an unsuitable name. */
const named: Readonly<Record<string, string>> = {
  changePassword: 'users.changePassword',
  resumeExecution: 'executions.resume',
  stopListeningToWebhook: 'workflows.stopListening',
};

/** Timeout in ms of a request that waits for an execution (60 s at most). */
const WAITING_TIMEOUT_MS = 90_000;

type Method = { route: Route; name: string };
type Group = { path: string[]; methods: Method[]; groups: Map<string, Group> };

/** `sdk/src/generated/types.ts` and `operations.ts`. `events` are the types of data other than responses. */
export function generateClient(
  routes: readonly Route[],
  errorBody: Schema,
  events: readonly Schema[],
): { types: string; operations: string } {
  const printer = createTypePrinter();
  const used = new Set<string>();
  const root: Group = { path: [], methods: [], groups: new Map() };
  // The client reads streams in methods of its own.
  for (const route of routes) if (route.response !== 'events') addRoute(root, route);

  const useType = (name: string): string => {
    used.add(name);
    return name;
  };
  const classes: string[] = [];
  const pending = [...root.groups.values()];
  for (let group = pending.shift(); group !== undefined; group = pending.shift()) {
    classes.push(printClass(group, (route) => methodLines(route, printer, useType)));
    pending.push(...group.groups.values());
  }
  printer.printType(errorBody, 'output');
  for (const event of events) printer.printType(event, 'output');
  const codes = (errorBody.properties?.['error']?.properties?.['code']?.enum ?? []) as string[];
  const head =
    '// Made from the routes and schemas of the service by `npx vitest run scripts/client-source.test.ts -u`.\n\n';
  return {
    types: `${head}${printer.print()}\n/** Every code of an error that the service sends. */\nexport type ErrorCode =${codes.map((code) => `\n  | '${code}'`).join('')};\n`,
    operations: [
      head.trimEnd(),
      "import { pages, type PagingOptions } from '../pages.ts';",
      "import type { Call, ExecuteOptions, RequestOptions } from '../request.ts';",
      `import type {\n${[...used]
        .sort()
        .map((name) => `  ${name},\n`)
        .join('')}} from './types.ts';`,
      '',
      ...classes,
      rootClass(root),
    ].join('\n'),
  };
}

function addRoute(root: Group, route: Route): void {
  const full = fullName(route);
  const name = full.at(-1)!;
  let group = root;
  for (const word of full.slice(0, -1)) {
    const path = [...group.path, word];
    if (group.methods.some((one) => one.name === word)) refuse(route, full);
    if (!group.groups.has(word)) group.groups.set(word, { path, methods: [], groups: new Map() });
    group = group.groups.get(word)!;
  }
  if (group === root || group.groups.has(name) || group.methods.some((one) => one.name === name))
    refuse(route, full);
  group.methods.push({ route, name });
}

function refuse(route: Route, full: string[]): never {
  throw new Error(
    `${route.operation} would be client.${full.join('.')}, which is taken; name it in scripts/client-operations.ts.`,
  );
}

/** The page of all methods, in Markdown, by subject. */
export function generateClientReference(routes: readonly Route[]): string {
  const subjects = new Map<string, string[]>();
  for (const route of routes) {
    if (route.response === 'events') continue;
    const full = fullName(route);
    const lines = subjects.get(full[0]!) ?? [];
    subjects.set(full[0]!, lines);
    const params = listPathParameters(route);
    const input = route.query === undefined ? (route.body === undefined ? null : 'input') : 'query';
    const isOptional = route.query !== undefined || route.bodyOptional === true;
    const given = [...params, ...(input === null ? [] : [isOptional ? `${input}?` : input])].join(', ');
    const name = full.slice(1).join('.');
    const all = findListItem(route) === null ? '' : `, \`${name}All(…)\``;
    lines.push(
      `- \`${name}(${given})\`${all}: ${route.summary.replace(/\.$/, '')}. \`${route.method} ${route.path}\``,
    );
  }
  return [...subjects]
    .map(([subject, lines]) => `**\`client.${subject}\`**\n\n${lines.join('\n')}\n`)
    .join('\n');
}

function fullName(route: Route): string[] {
  return named[route.operation]?.split('.') ?? buildMethodPath(route);
}

function listPathParameters({ path }: Pick<Route, 'path'>): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}

/** The groups and the method's name. */
export function buildMethodPath(route: Pick<Route, 'operation' | 'path' | 'method'>): string[] {
  const segments = route.path.split('/').slice(1);
  const words = segments.filter((segment) => !segment.startsWith('{')).map(camel);
  const verb = /^[a-z]+/.exec(route.operation)![0];
  const last = words.at(-1)!;
  const isInner = words.length > 1 && camel(segments.at(-1)!) === last;
  // `POST /executions/{id}/stop`, operation stopExecution; `GET /users/me`, operation getCurrentUser.
  const isVerb = isInner && verb === last;
  const isView = isInner && route.method === 'GET' && verb === 'get' && !route.path.includes('{');
  return isVerb || isView ? words : [...words, verb];
}

function camel(text: string): string {
  return text.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

function pascal(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function className(path: readonly string[]): string {
  return `${path.map(pascal).join('')}Operations`;
}

function printClass(group: Group, lines: (method: Method) => string[]): string {
  const groups = [...group.groups.entries()];
  return [
    `/** \`client.${group.path.join('.')}\` */`,
    `export class ${className(group.path)} {`,
    ...(group.methods.length > 0 ? ['  readonly #call: Call;'] : []),
    ...groups.map(([name, inner]) => `  readonly ${name}: ${className(inner.path)};`),
    '',
    '  constructor(call: Call) {',
    ...(group.methods.length > 0 ? ['    this.#call = call;'] : []),
    ...groups.map(([name, inner]) => `    this.${name} = new ${className(inner.path)}(call);`),
    '  }',
    ...group.methods.flatMap(lines),
    '}',
    '',
  ].join('\n');
}

function rootClass(root: Group): string {
  const groups = [...root.groups.keys()];
  return [
    '/** Every operation of the service, by subject. */',
    'export class Operations {',
    ...groups.map((name) => `  readonly ${name}: ${className([name])};`),
    '',
    '  constructor(call: Call) {',
    ...groups.map((name) => `    this.${name} = new ${className([name])}(call);`),
    '  }',
    '}',
    '',
  ].join('\n');
}

function methodLines(
  { route, name }: Method,
  printer: ReturnType<typeof createTypePrinter>,
  useType: (name: string) => string,
): string[] {
  const { method, path, operation } = route;
  const params = listPathParameters(route);
  const isKeyed = route.requestHeaders?.some((header) => header.name === 'Idempotency-Key') === true;
  const isBytes = route.response === 'bytes';
  const response = isBytes
    ? 'Response'
    : useType(printTypeName(printer, route.response as Schema, `${pascal(operation)}Response`, 'output'));
  const input = inputOf(route, printer, useType);

  const parameters = params.map(
    (param) => `${param}: string${/version|number/.test(param) ? ' | number' : ''}`,
  );
  if (input !== null) parameters.push(`${input.kind}: ${input.type}${input.isOptional ? ' = {}' : ''}`);
  const target = `\`${path.replaceAll(/\{(\w+)\}/g, (_all, param: string) => `\${encodeURIComponent(${param})}`)}\``;
  const waits = (route.body as Schema | undefined)?.properties?.['wait'] !== undefined;
  const request = [
    `method: '${method}'`,
    `path: ${params.length > 0 ? target : `'${path}'`}`,
    ...(input === null ? [] : [input.kind]),
    ...(isBytes ? ["responseType: 'response'"] : []),
    ...(isKeyed ? ['isKeyed: true'] : []),
    ...(waits ? [`timeout: ${WAITING_TIMEOUT_MS}`] : []),
    ...(route.scope === 'public' ? ['isPublic: true'] : []),
  ].join(', ');
  const summary = `${route.summary.replace(/\.$/, '')}.`;
  const needs = { public: 'needs no credential', any: 'any credential', session: 'needs a session' }[
    route.scope as string
  ];
  const doc = `${summary}\n\n\`${method} ${path}\`: ${needs ?? `scope \`${route.scope}\``}.${isBytes ? ' The body of the response is not read yet.' : ''}`;
  const options = isKeyed ? 'ExecuteOptions' : 'RequestOptions';
  const lines = [
    '',
    printDocComment(doc, '  ').trimEnd(),
    `  ${name}(${[...parameters, `options?: ${options}`].join(', ')}): Promise<${response}> {`,
    `    return this.#call<${response}>({ ${request} }, options);`,
    '  }',
  ];
  const items = findListItem(route);
  if (items === null) return lines;
  const item = useType(printTypeName(printer, items.schema, `${pascal(operation)}Item`, 'output'));
  const given = [...params, `{ ...${input?.kind}, page, limit }`, 'options'].join(', ');
  return [
    ...lines,
    '',
    printDocComment(
      `The same over all pages, item by item; \`page\` is where it begins, \`limit\` the size of a page (100).`,
      '  ',
    ).trimEnd(),
    `  ${name}All(${[...parameters, 'options?: PagingOptions'].join(', ')}): AsyncGenerator<${item}, void, undefined> {`,
    `    return pages(${input?.kind}, options, async (page, limit) => {`,
    `      const { ${items.name}, pagination } = await this.${name}(${given});`,
    `      return { items: ${items.name}, pagination };`,
    '    });',
    '  }',
  ];
}

/** Query or body of a row; null when it has none. */
function inputOf(
  route: Route,
  printer: ReturnType<typeof createTypePrinter>,
  useType: (name: string) => string,
): { kind: 'query' | 'body'; type: string; isOptional: boolean } | null {
  const { operation, query, body, bodyOptional } = route;
  if (query !== undefined) {
    const type = useType(printTypeName(printer, query as Schema, `${pascal(operation)}Query`, 'input'));
    return { kind: 'query', type, isOptional: true };
  }
  if (body === undefined) return null;
  const type = useType(printTypeName(printer, body as Schema, `${pascal(operation)}Input`, 'input'));
  return { kind: 'body', type, isOptional: bodyOptional === true };
}

function printTypeName(
  printer: ReturnType<typeof createTypePrinter>,
  schema: Schema,
  fallback: string,
  direction: 'input' | 'output',
): string {
  return printer.declare(schema.title ?? fallback, schema, direction);
}

/** The items of a response that is one page of a list; null for any other response. */
function findListItem(route: Route): { name: string; schema: Schema } | null {
  if (route.response === 'bytes') return null;
  const { properties = {} } = route.response as Schema;
  if (properties['pagination'] === undefined) return null;
  const found = Object.entries(properties).find(([, field]) => field.type === 'array');
  return found?.[1].items === undefined ? null : { name: found[0], schema: found[1].items };
}
