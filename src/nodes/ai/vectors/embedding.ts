import { MAX_DIMENSIONS } from '../../../contract/ai/vectors.ts';
import type { Json } from '../../../lib/json/json.ts';
import { DataError } from '../../data/data-error.ts';

/** @throws {DataError} */
export function readEmbedding(at: string, value: Json): number[] {
  if (
    !Array.isArray(value) ||
    value.length === 0 ||
    value.length > MAX_DIMENSIONS ||
    !value.every((number) => typeof number === 'number')
  )
    throw new DataError(at, `must be an embedding: a list of 1 to ${MAX_DIMENSIONS} numbers`);
  return value;
}
