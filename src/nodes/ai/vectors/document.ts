import {
  MAX_DOCUMENT_KEY,
  MAX_DOCUMENT_METADATA,
  MAX_DOCUMENT_SOURCE,
  MAX_DOCUMENT_TEXT,
  MAX_DOCUMENT_VALUES,
  MAX_UPSERT_DOCUMENTS,
  SOURCE_FIELD,
  type VectorDocument,
} from '../../../contract/ai/vectors.ts';
import { isObject, type Json, type JsonObject } from '../../../lib/json/json.ts';
import { DataError } from '../../data/data-error.ts';
import { readEmbedding } from './embedding.ts';

const FIELDS = new Set(['key', 'text', 'source', 'metadata']);

/** @throws {DataError} naming the field of the configuration */
export function readDocuments(given: Json, givenEmbeddings: Json): VectorDocument[] {
  const documents = isObject(given) ? [given] : given;
  if (!Array.isArray(documents) || documents.length === 0 || documents.length > MAX_UPSERT_DOCUMENTS)
    throw new DataError(
      'documents',
      `must be a document, or a list of 1 to ${MAX_UPSERT_DOCUMENTS} documents`,
    );
  if (!Array.isArray(givenEmbeddings) || givenEmbeddings.length !== documents.length)
    throw new DataError(
      'embeddings',
      `must be a list with an embedding for each of the ${documents.length} documents`,
    );
  const keys = new Map<string, number>();
  let dimensions = 0;
  return documents.map((document, index) => {
    const embedding = readEmbedding(`embeddings[${index}]`, givenEmbeddings[index] ?? null);
    if (index === 0) dimensions = embedding.length;
    else if (embedding.length !== dimensions)
      throw new DataError(
        `embeddings[${index}]`,
        `must have ${dimensions} dimensions like the first one, not ${embedding.length}`,
      );
    const read = readDocument(`documents[${index}]`, document);
    const first = keys.get(read.key);
    if (first !== undefined)
      throw new DataError(`documents[${index}].key`, `must not be the key of documents[${first}]`);
    keys.set(read.key, index);
    return { ...read, embedding };
  });
}

function readDocument(at: string, document: Json): Omit<VectorDocument, 'embedding'> {
  if (!isObject(document)) throw new DataError(at, 'must be an object: {key, text, source, metadata}');
  for (const name of Object.keys(document))
    if (!FIELDS.has(name))
      throw new DataError(`${at}.${name}`, 'is not a field of documents: use key, text, source, metadata');
  const { source = null, metadata = {} } = document;
  if (!isObject(metadata)) throw new DataError(`${at}.metadata`, 'must be an object');
  checkMetadata(`${at}.metadata`, metadata);
  return {
    key: readText(`${at}.key`, document['key'] ?? null, MAX_DOCUMENT_KEY),
    text: readText(`${at}.text`, document['text'] ?? null, MAX_DOCUMENT_TEXT),
    source: source === null ? null : readText(`${at}.source`, source, MAX_DOCUMENT_SOURCE),
    metadata,
  };
}

function readText(at: string, value: Json, most: number): string {
  if (typeof value !== 'string' || value === '' || value.length > most)
    throw new DataError(at, `must be a text of 1 to ${most} characters`);
  return value;
}

/** @throws {DataError} unless each field can be compared by a filter */
export function checkMetadata(at: string, metadata: JsonObject): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (name === SOURCE_FIELD)
      throw new DataError(`${at}.${name}`, 'must not be set: it is a field of the document');
    if (![value].flat().every(isComparable))
      throw new DataError(`${at}.${name}`, 'must be a text, a number, a boolean, or a list of these');
  }
  const values = Object.values(metadata).flat().length;
  if (values > MAX_DOCUMENT_VALUES)
    throw new DataError(at, `must have at most ${MAX_DOCUMENT_VALUES} values, not ${values}`);
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > MAX_DOCUMENT_METADATA)
    throw new DataError(at, `must have at most ${MAX_DOCUMENT_METADATA} bytes of JSON, not ${bytes}`);
}

const isComparable = (value: Json): boolean => ['string', 'number', 'boolean'].includes(typeof value);
