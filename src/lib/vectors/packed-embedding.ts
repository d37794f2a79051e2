/** The largest number of a packed embedding. */
const SCALE = 32_767;

/**
 * An embedding as a JSON list of integers from -32,767 to 32,767, with its length scaled to 32,767: only the
 * direction counts for the cosine, and 16 bits are exact to 0.00002. Null if it has no direction.
 */
export function packEmbedding(embedding: readonly number[]): string | null {
  const length = Math.hypot(...embedding);
  if (!(length > 0) || !Number.isFinite(length)) return null;
  // `+ 0` turns -0 into 0.
  return JSON.stringify(embedding.map((number) => Math.round((number / length) * SCALE) + 0));
}

/** The numbers of a packed embedding, each in 16 bits. */
export function toBytes(packed: string): Buffer {
  return Buffer.from(Int16Array.from(JSON.parse(packed) as number[]).buffer);
}

export function fromBytes(bytes: Uint8Array): string {
  return JSON.stringify([...toNumbers(bytes)]);
}

/** The cosine of the angle between two embeddings of the same number of dimensions. */
export function computeSimilarity(left: Uint8Array, right: Uint8Array): number {
  const a = toNumbers(left);
  const b = toNumbers(right);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum / (SCALE * SCALE);
}

function toNumbers({ buffer, byteOffset, byteLength }: Uint8Array): Int16Array {
  // The buffer of bytes from the database may begin at an odd address.
  if (byteOffset % 2 === 0) return new Int16Array(buffer, byteOffset, byteLength / 2);
  return new Int16Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
