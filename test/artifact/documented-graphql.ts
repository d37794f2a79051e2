import {
  buildSchema,
  getNamedType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

export type Arguments = Record<string, unknown>;
type Result = { data?: Record<string, unknown> | null; errors?: readonly object[] };
type Kind = 'query' | 'mutation' | 'subscription';
type Operation = { query: string; variables: Arguments };

/**
 * A client of GraphQL that knows the service by the schema that the service gives out. Each operation selects
 * everything below its field. It throws on any error, and records which fields it has got.
 */
export class DocumentedGraphql {
  /** The value of the Authorization header. */
  authorization = '';
  readonly #url: string;
  readonly #schema: GraphQLSchema;
  /** `Type.field` */
  readonly #seen = new Set<string>();

  /** `url` is that of the service, ending with /v1. */
  constructor(url: string, schema: GraphQLSchema) {
    this.#url = url;
    this.#schema = schema;
  }

  /** With the schema of the service. */
  static async open(url: string): Promise<DocumentedGraphql> {
    const response = await fetch(`${url}/schema.graphql`);
    return new DocumentedGraphql(url, buildSchema(await response.text()));
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names its fields
  query<Value = Record<string, unknown>>(field: string, args: Arguments = {}): Promise<Value> {
    return this.#run<Value>('query', field, args);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names its fields
  mutate<Value = Record<string, unknown>>(field: string, args: Arguments = {}): Promise<Value> {
    return this.#run<Value>('mutation', field, args);
  }

  /** The first value of a subscription over WebSocket. Calls `act` until it arrives. */
  async subscribe(field: string, args: Arguments = {}, act: () => Promise<unknown> = async () => {}) {
    const client = createClient({
      url: `${this.#url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: this.authorization },
      retryAttempts: 0,
    });
    const events = client.iterate(this.#operation('subscription', field, args));
    let hasCome = false;
    const first = (async () => {
      try {
        return (await events.next()).value as Result | undefined;
      } finally {
        hasCome = true;
      }
    })();
    while (!hasCome) {
      await act();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const value = readField(field, await first);
    await events.return?.();
    await client.dispose();
    return value;
  }

  /** The fields of the schema, as `Type.field`, that were not got: those of the roots and of all objects. */
  unseen(): string[] {
    return Object.values(this.#schema.getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
      .flatMap((type) =>
        Object.keys((type as GraphQLObjectType).getFields()).map((name) => `${type.name}.${name}`),
      )
      .filter((name) => !this.#seen.has(name));
  }

  async #run<Value>(kind: 'query' | 'mutation', field: string, args: Arguments): Promise<Value> {
    const response = await fetch(`${this.#url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.authorization !== '' && { authorization: this.authorization }),
      },
      body: JSON.stringify(this.#operation(kind, field, args)),
    });
    return readField(field, (await response.json()) as Result) as Value;
  }

  #operation(kind: Kind, name: string, args: Arguments): Operation {
    const root = {
      query: this.#schema.getQueryType(),
      mutation: this.#schema.getMutationType(),
      subscription: this.#schema.getSubscriptionType(),
    }[kind];
    const field = root?.getFields()[name];
    if (root == null || field === undefined) throw new Error(`The schema has no ${kind} ${name}`);
    const given = Object.keys(args).map((arg) => {
      const type = field.args.find((one) => one.name === arg)?.type;
      if (type === undefined) throw new Error(`${kind} ${name}: the argument ${arg} is not documented`);
      return { declared: `$${arg}: ${String(type)}`, passed: `${arg}: $${arg}` };
    });
    const list = (of: string[]): string => (of.length === 0 ? '' : `(${of.join(', ')})`);
    const declared = list(given.map((one) => one.declared));
    const passed = list(given.map((one) => one.passed));
    this.#seen.add(`${root.name}.${name}`);
    return {
      query: `${kind}${declared} { ${name}${passed} ${this.#selection(field, [])} }`,
      variables: args,
    };
  }

  /** Everything below a field, but not a type within itself. */
  #selection(field: GraphQLField<unknown, unknown>, above: readonly GraphQLObjectType[]): string {
    const type = getNamedType(field.type);
    if (!isObjectType(type)) return '';
    const inner = Object.values(type.getFields())
      .filter((one) => !above.includes(getNamedType(one.type) as GraphQLObjectType))
      .map((one) => {
        this.#seen.add(`${type.name}.${one.name}`);
        // More would cost more than one operation may.
        const page = one.args.some(({ name }) => name === 'limit') ? '(limit: 1)' : '';
        return `${one.name}${page} ${this.#selection(one, [...above, type])}`;
      });
    return `{ ${inner.join(' ')} }`;
  }
}

function readField(field: string, result: Result | undefined): unknown {
  const value = result?.data?.[field];
  if (result?.errors !== undefined || value === undefined || value === null)
    throw new Error(`${field} responded with ${JSON.stringify(result)}`);
  return value;
}
