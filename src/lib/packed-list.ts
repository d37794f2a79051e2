import { deserialize, serialize } from 'node:v8';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Json } from './json/json.ts';
import { countBytes } from './limits/value-limits.ts';

/** Values of one part. Packing a part of small values takes less than 1 ms. */
const PART_LENGTH = 1_000;
/** A part with more bytes, as JSON, is not packed: that would take long, and its values share memory. */
const MAX_PACKED_BYTES = 256 * 1024;
const options = { level: constants.Z_BEST_SPEED };

/** `count`: values that are set. */
type OpenPart = { values: Json[]; count: number };
/** `bytes`: of the values, as JSON. */
type PackedPart = { data: Uint8Array; bytes: number };
type Part = OpenPart | PackedPart;

/** The list as data for a structured clone. */
export type SavedList = { parts: readonly Part[] };

/**
 * A long list of JSON values that are set once, in any order. When it is saved, its complete parts are
 * packed: from then on, saving and restoring it copies a few bytes for each value, and no value becomes an
 * object before the list is read.
 */
export class PackedList {
  #parts: Part[] = [];

  /** Each index is set at most once. */
  set(index: number, value: Json): void {
    const number = Math.floor(index / PART_LENGTH);
    while (this.#parts.length <= number) this.#parts.push({ values: [], count: 0 });
    const part = this.#parts[number]!;
    if (!('values' in part)) throw new Error(`The value ${index} of the list is set already.`);
    part.values[index % PART_LENGTH] = value;
    part.count++;
  }

  /** The values, once all of them are set. */
  toArray(): Json[] {
    const lists = this.#parts.map((part) => ('values' in part ? part.values : unpack(part)));
    return ([] as Json[]).concat(...lists);
  }

  /** Bytes of the values as JSON. `measure` returns those of a value that is not packed. */
  countBytes(measure: (value: Json) => number): number {
    let bytes = 0;
    for (const part of this.#parts)
      if (!('values' in part)) bytes += part.bytes;
      else part.values.forEach((value) => (bytes += measure(value)));
    return bytes;
  }

  /** Packs the parts that are complete. */
  save(): SavedList {
    this.#parts = this.#parts.map((part) => ('values' in part ? packIfSmall(part) : part));
    return { parts: this.#parts };
  }

  restore({ parts }: SavedList): void {
    this.#parts = [...parts];
  }
}

function packIfSmall(part: OpenPart): Part {
  if (part.count < PART_LENGTH) return part;
  const bytes = countBytes(part.values);
  if (bytes > MAX_PACKED_BYTES) return part;
  return { data: new Uint8Array(deflateRawSync(serialize(part.values), options)), bytes };
}

const unpack = ({ data }: PackedPart): Json[] => deserialize(inflateRawSync(data)) as Json[];
