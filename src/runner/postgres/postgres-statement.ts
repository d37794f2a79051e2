import type { EventEmitter } from 'node:events';
import type { SqlResult, SqlStatement } from '../../contract/sql.ts';
import type { Json } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import { readValue, typeName, writeValue } from './postgres-types.ts';

/** Number of rows requested at once. */
const ROWS_PER_BATCH = 500;

/** Protocol messages that the library writes. */
export type ProtocolWriter = EventEmitter & {
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
 * Runs one statement with the extended protocol: PostgreSQL accepts only one statement, and values are never
 * part of the SQL text. Parameter types are requested first, so that each value is written for its type. Rows
 * are fetched in batches. Sync, which commits, is sent only after all rows have arrived and are within the
 * limits, so that an aborted statement changes nothing.
 */
export class PostgresStatement {
  readonly #statement: SqlStatement;
  readonly #rows: SqlResult['rows'] = [];
  #fields: Field[] = [];
  #types: number[] = [];
  #bytes = 0;
  #count = 0;
  #error: unknown = null;
  #wire: ProtocolWriter | null = null;
  #hasResponded = false;
  #settle: { resolve(result: SqlResult): void; reject(error: unknown): void } | null = null;
  readonly result: Promise<SqlResult>;

  constructor(statement: SqlStatement) {
    this.#statement = statement;
    this.result = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // A caller that aborts does not wait for the result.
    this.result.catch(() => {});
  }

  /**
   * Listens to messages that the library does not emit, only while this statement runs because the session is
   * reused.
   */
  readonly #handlers: [string, (message: { dataTypeIDs?: number[] }) => void][] = [
    [
      'parameterDescription',
      ({ dataTypeIDs = [] }) => {
        this.#hasResponded = true;
        this.#types = dataTypeIDs;
      },
    ],
    ['noData', () => this.#execute()],
    ['copyOutResponse', () => this.#refuse(httpFailure('validation', 'query: COPY is not supported', false))],
  ];

  /** False if the server has not replied, or only closed the connection. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  submit(wire: ProtocolWriter): void {
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
          `parameters: the query has ${this.#types.length} parameters ($1, $2, …), but ${values.length} values are set`,
          false,
        ),
      );
    this.#wire?.bind({ values: values.map((value, i) => writeValue(this.#types[i] ?? 0, value)) });
    this.#next();
  }

  #next(): void {
    this.#wire?.execute({ rows: Math.min(ROWS_PER_BATCH, this.#statement.maxRows + 1) });
    this.#wire?.flush();
  }

  /** The caller closes the connection without Sync. */
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
        httpFailure('validation', `query: two columns are named ${twice}; rename one with AS`, false),
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
        httpFailure(
          'limit',
          `The query returns more than ${maxRows} rows (max_rows); nothing was changed`,
          false,
        ),
      );
    if (this.#bytes > limits.sqlBytes)
      return this.#refuse(
        httpFailure(
          'limit',
          `The query returns more than ${limits.sqlBytes} bytes; nothing was changed`,
          false,
        ),
      );
    this.#rows.push(Object.fromEntries(row));
  }

  handlePortalSuspended(): void {
    if (this.#error === null) this.#next();
  }

  handleCommandComplete(message: { text: string }, wire: ProtocolWriter): void {
    if (this.#error !== null) return;
    const count = /\d+$/.exec(message.text)?.[0];
    // For rows fetched in batches, the server's count covers the last batch only.
    this.#count = this.#fields.length > 0 ? this.#rows.length : Number(count ?? 0);
    wire.sync();
  }

  handleEmptyQuery(wire: ProtocolWriter): void {
    wire.sync();
  }

  handleCopyInResponse(wire: ProtocolWriter): void {
    wire.sendCopyFail('not supported');
    this.#refuse(httpFailure('validation', 'query: COPY is not supported', false));
  }

  handleCopyData(): void {}

  handleError(error: unknown): void {
    const code = (error as { code?: unknown }).code;
    const isEnding = typeof code !== 'string' || code.startsWith('57P') || !/^[0-9A-Z]{5}$/.test(code);
    if (!isEnding) this.#hasResponded = true;
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
