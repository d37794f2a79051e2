import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { DocumentError } from './document.ts';

const MAX_CHAIN_LENGTH = 20;

/** The document needs another document, which is never fetched. */
export class ExternalReferenceError extends DocumentError {}

/** Resolves references within one document. */
export class References {
  readonly #document: JsonObject;
  readonly #targets = new Map<string, Json>();

  constructor(document: JsonObject) {
    this.#document = document;
  }

  /**
   * The value itself, or what it refers to after any number of references; siblings of a reference override
   * its target. `place` is a JSON pointer for errors. @throws {DocumentError}
   */
  resolve(value: Json | undefined, location: string): Json | undefined {
    let found = value;
    for (let count = 0; isObject(found) && typeof found['$ref'] === 'string'; count++) {
      if (count === MAX_CHAIN_LENGTH)
        throw new DocumentError(`has a reference that leads back to itself`, location);
      const { $ref, ...siblings } = found;
      const target = this.target($ref as string, location);
      found = isObject(target) && Object.keys(siblings).length > 0 ? { ...target, ...siblings } : target;
    }
    return found;
  }

  /** The object at a reference or value; null for anything else. */
  object(value: Json | undefined, location: string): JsonObject | null {
    const found = this.resolve(value, location);
    return isObject(found) ? found : null;
  }

  /** What a reference names. @throws {DocumentError} */
  target(reference: string, location: string): Json {
    const known = this.#targets.get(reference);
    if (known !== undefined) return known;
    if (!reference.startsWith('#'))
      throw new ExternalReferenceError(
        `must not refer to other documents; bundle ${JSON.stringify(reference.slice(0, 200))} into it`,
        location,
      );
    let found: Json | undefined = this.#document;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const key = decodeStep(step);
      found =
        typeof found === 'object' && found !== null && Object.hasOwn(found, key)
          ? (found as JsonObject)[key]
          : undefined;
    }
    if (found === undefined || (reference !== '#' && !reference.startsWith('#/')))
      throw new DocumentError(
        `has the reference ${JSON.stringify(reference.slice(0, 200))}, which does not exist`,
        location,
      );
    this.#targets.set(reference, found);
    return found;
  }
}

function decodeStep(step: string): string {
  let decoded = step;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    // A name with a percent sign that is not encoded.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
