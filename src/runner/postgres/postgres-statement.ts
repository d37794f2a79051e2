import type { EventEmitter } from 'node:events';
import type { SqlResult, SqlStatement } from '../../contract/sql.ts';
import type { Json } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import { readValue, typeName, writeValue } from './postgres-types.ts';

/** Rows that the server may send before it is asked for more. */
const BATCH = 500;

/** The messages that the library writes. */
export type Wire = EventEmitter & {
  parse(message: { text: string; name: string }): void;
  describe(message: { type: 'S'; name: string }): void;
  bind(message: { values: (string | null)[] }): void;
  execute(message: { rows: number }): void;
  flush(): void;
  sync(): void;
  sendCopyFail(reason: string): void;
};
type Field = { name: string; dataTypeID: number };

/**
 * One statement by the extended protocol: PostgreSQL itself takes only one, and its values never as text of SQL. Its types
 * are asked for first, so that each value is written as its type wants it. The rows come in batches, and only when all
 * of them are here and within the limits is Sync sent, which commits: whatever breaks off before leaves nothing behind.
 */
export class PostgresStatement {
  readonly #statement: SqlStatement;
  readonly #rows: SqlResult['rows'] = [];
  #fields: Field[] = [];
  #types: number[] = [];
  #bytes = 0;
  #count = 0;
  #error: unknown = null;
  #wire: Wire | null = null;
  #wasAnswered = false;
  #settle: { resolve(result: SqlResult): void; reject(error: unknown): void } | null = null;
  readonly result: Promise<SqlResult>;

  constructor(statement: SqlStatement) {
    this.#statement = statement;
    this.result = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Whoever breaks off does not wait for it.
    this.result.catch(() => {});
  }

  /** Messages that the library does not pass on; a session is used again, so they are heard only as long as this runs. */
  readonly #handlers: [string, (message: { dataTypeIDs?: number[] }) => void][] = [
    [
      'parameterDescription',
      ({ dataTypeIDs = [] }) => {
        this.#wasAnswered = true;
        this.#types = dataTypeIDs;
      },
    ],
    ['noData', () => this.#execute()],
    [
      'copyOutResponse',
      () => this.#refuse(httpFailure('validation', 'query: COPY is not possible here', false)),
    ],
  ];

  /** False: the server has not said a word about it, or only that it ends. */
  get wasAnswered(): boolean {
    return this.#wasAnswered;
  }

  submit(wire: Wire): void {
    this.#wire = wire;
    for (const [name, handler] of this.#handlers) wire.on(name, handler);
    wire.parse({ text: this.#statement.text, name: '' });
    wire.describe({ type: 'S', name: '' });
    wire.flush();
  }

  #execute(): void {
    const { values } = this.#statement;
    if (values.length !== this.#types.length)
      return this.#refuse(
        httpFailure(
          'validation',
          `parameters: the query takes ${this.#types.length} values ($1, $2, …), not ${values.length}`,
          false,
        ),
      );
    this.#wire?.bind({ values: values.map((value, i) => writeValue(this.#types[i] ?? 0, value)) });
    this.#next();
  }

  #next(): void {
    this.#wire?.execute({ rows: Math.min(BATCH, this.#statement.maxRows + 1) });
    this.#wire?.flush();
  }

  /** The connection is given up without Sync by whoever waits for the result. */
  #refuse(error: unknown): void {
    this.#error ??= error;
    this.#detach();
    this.#settle?.reject(this.#error);
  }

  handleRowDescription(message: { fields: Field[] }): void {
    this.#fields = message.fields;
    const names = this.#fields.map(({ name }) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined)
      this.#refuse(
        httpFailure(
          'validation',
          `query: two columns are named ${twice}; give one another name with AS`,
          false,
        ),
      );
    else this.#execute();
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    if (this.#error !== null) return;
    const { maxRows } = this.#statement;
    const row = this.#fields.map(({ name, dataTypeID }, i): [string, Json] => {
      const text = message.fields[i] ?? null;
      this.#bytes += name.length + (text?.length ?? 4);
      return [name, text === null ? null : readValue(dataTypeID, text)];
    });
    if (this.#rows.length === maxRows)
      return this.#refuse(
        httpFailure('limit', `The query gives more than ${maxRows} rows (max_rows); nothing was done`, false),
      );
    if (this.#bytes > limits.sqlBytes)
      return this.#refuse(
        httpFailure('limit', `The query gives more than ${limits.sqlBytes} bytes; nothing was done`, false),
      );
    this.#rows.push(Object.fromEntries(row));
  }

  handlePortalSuspended(): void {
    if (this.#error === null) this.#next();
  }

  handleCommandComplete(message: { text: string }, wire: Wire): void {
    if (this.#error !== null) return;
    const count = /\d+$/.exec(message.text)?.[0];
    // Of rows that came in batches the server counts the last batch only.
    this.#count = this.#fields.length > 0 ? this.#rows.length : Number(count ?? 0);
    wire.sync();
  }

  handleEmptyQuery(wire: Wire): void {
    wire.sync();
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('not possible here');
    this.#refuse(httpFailure('validation', 'query: COPY is not possible here', false));
  }

  handleCopyData(): void {}

  handleError(error: unknown): void {
    const code = (error as { code?: unknown }).code;
    const isEnding = typeof code !== 'string' || code.startsWith('57P') || !/^[0-9A-Z]{5}$/.test(code);
    if (!isEnding) this.#wasAnswered = true;
    this.#refuse(error);
  }

  #detach(): void {
    for (const [name, handler] of this.#handlers) this.#wire?.off(name, handler);
  }

  handleReadyForQuery(): void {
    this.#detach();
    this.#settle?.resolve({
      rows: this.#rows,
      row_count: this.#count,
      fields: this.#fields.map(({ name, dataTypeID }) => ({ name, type: typeName(dataTypeID) })),
    });
  }
}
