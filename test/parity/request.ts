import type { Route } from '../../src/api/rest/route.ts';
import { caller } from '../support/service.ts';
import {
  toGraphqlNames,
  sdl,
  printSelection,
  buildTarget,
  toRestResult,
  type CallInput,
  type CallResult,
} from './clients.ts';
import type { OperationCall } from './operations.ts';

/** Throws when a response is an internal error of the service. */
export async function callRest(
  url: string,
  row: Route,
  input: CallInput,
  who: Record<string, string>,
): Promise<CallResult> {
  const reply = await caller(url, who)(row.method, buildTarget(row, input), {
    ...(input.body !== undefined && { body: input.body }),
    ...(input.key !== undefined && { headers: { 'idempotency-key': input.key } }),
  });
  if (reply.status >= 500) throw new Error(`${row.operation}: ${reply.text}`);
  return toRestResult(reply);
}

export async function callGraphql(
  url: string,
  row: Route,
  asked: OperationCall,
  input: CallInput,
  who: Record<string, string>,
): Promise<CallResult & { status: number }> {
  const root = asked.kind === 'query' ? sdl.getQueryType()! : sdl.getMutationType()!;
  const field = root.getFields()[asked.field]!;
  const given = asked.arguments(input);
  const known = field.args.filter(({ name }) => given[name] !== undefined);
  const variables = Object.fromEntries(
    known.map((arg) => [arg.name, toGraphqlNames(given[arg.name], arg.type)]),
  );
  const selection =
    row.response === 'bytes' || asked.differs?.includes('true') === true ? '' : buildSelection(row, asked);
  const declared = known.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const passed = known.map(({ name }) => `${name}: $${name}`).join(', ');
  const query = `${asked.kind}${declared === '' ? '' : `(${declared})`} { it: ${asked.field}${passed === '' ? '' : `(${passed})`} ${selection} }`;
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...who },
    body: JSON.stringify({ query, variables }),
  });
  const body = (await response.json()) as {
    data?: { it: unknown };
    errors?: { message: string; extensions: { code: string; details: unknown } }[];
    error?: { code: string; message: string; details: unknown };
  };
  const { status } = response;
  if (status >= 500) throw new Error(`${asked.field}: ${JSON.stringify(body)}`);
  const [error] = body.errors ?? [];
  if (error !== undefined) return { status, error: { message: error.message, ...error.extensions } };
  if (body.error !== undefined) return { status, error: body.error };
  return { status, value: body.data!.it };
}

function buildSelection(row: Route, asked: OperationCall): string {
  const selection = printSelection(row.response as never);
  return asked.differs?.includes('list') === true
    ? selection.replace(/^\{ \w+ /, '').replace(/ \}$/, '')
    : selection;
}
