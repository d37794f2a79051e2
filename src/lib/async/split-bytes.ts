/** The same bytes in full parts of `partBytes`, as lists of pieces; only the last part may be shorter. */
export async function* splitBytes(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array[], void, undefined> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.byteLength;) {
      const piece = chunk.subarray(at, at + partBytes - size);
      held.push(piece);
      size += piece.byteLength;
      at += piece.byteLength;
      if (size < partBytes) continue;
      yield held;
      held = [];
      size = 0;
    }
  }
  if (size > 0) yield held;
}
