import type Database from 'better-sqlite3';
import { computeSimilarity, toBytes } from '../../lib/vectors/packed-embedding.ts';

/** Adds the SQL functions that a migration creates in PostgreSQL. */
export function addVectorFunctions(db: Database.Database): void {
  const options = { deterministic: true, directOnly: true };
  db.function('pack_vector', options, (packed) => toBytes(packed as string));
  db.function('vector_similarity', options, (left, right) =>
    computeSimilarity(left as Uint8Array, right as Uint8Array),
  );
}
