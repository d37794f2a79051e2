import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { vectorsSuite } from '../../src/store/conformance/ai/vectors.ts';
import type { Driver } from '../../src/store/driver.ts';
import type { StatementResult, Transaction } from '../../src/store/statement.ts';
import {
  begin,
  type Arguments,
  type Result,
  type TransactionName,
} from '../../src/store/transactions/registry.ts';
import { createVectorStore } from '../../src/store/vector-store.ts';
import { compile, readReplies } from '../../src/store/postgres/compile.ts';
import { postgresMigrations } from '../../src/store/postgres/schema.ts';

/*
 * The statements of vectors on PostgreSQL with pgvector, which the server of the other tests does not have.
 * PGlite is PostgreSQL and pgvector in WebAssembly.
 */
let db: PGlite;

beforeAll(async () => {
  db = await PGlite.create({ extensions: { vector } });
  for (const { sql } of postgresMigrations) await db.exec(`BEGIN; ${sql}; COMMIT;`);
  // After the migrations, as on a database that Weft already uses.
  await db.exec('CREATE EXTENSION vector');
});
afterAll(() => db.close());
beforeEach(() => db.exec('TRUNCATE vector_collections, vector_documents, vector_embeddings, vector_fields'));

function run<K extends TransactionName>(name: K, ...args: Arguments<K>): Promise<Result<K>> {
  return db.transaction(async (transaction) => {
    const work = begin(name, args) as Transaction<Result<K>>;
    let step = work.next();
    while (step.done !== true) {
      // PGlite has a single connection.
      const statements = step.value.filter((statement) => !('lock' in statement));
      const compiled = statements.map(compile);
      const replies: StatementResult[] = [];
      for (const { text, values } of compiled.flatMap(({ queries }) => queries)) {
        const { rows, affectedRows } = await transaction.query<StatementResult['rows'][number]>(text, [
          ...(values ?? []),
        ]);
        replies.push({ rows, changes: affectedRows ?? rows.length });
      }
      const results = readReplies(compiled, replies);
      step = work.next(
        step.value.map((statement) =>
          'lock' in statement ? { rows: [], changes: 0 } : results[statements.indexOf(statement)]!,
        ),
      );
    }
    return step.value;
  });
}

describe('vectors on PostgreSQL with pgvector', () => {
  const driver: Pick<Driver, 'write' | 'read' | 'readLong'> = { write: run, read: run, readLong: run };
  const store = { vectors: createVectorStore(driver as Driver) } as Store;
  vectorsSuite(() => store);
});
