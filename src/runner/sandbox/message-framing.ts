/*
 * Protocol between the service and a sandbox process: length-prefixed frames with a JSON header and texts.
 * Both sides limit what they read and validate each header field, because the other side may be hostile.
 */

export type Frame = { header: unknown; texts: string[] };

/** The data is not a valid frame, or exceeds the size limit. The connection cannot be used any more. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

const PREFIX_BYTES = 8;
const MAX_TEXTS = 4;

/** `[frame length][header length][header][texts]`; the header is `{"lengths": […], "data": …}`. */
export function encodeFrame(header: unknown, texts: readonly string[] = []): Buffer {
  const bodies = texts.map((text) => Buffer.from(text));
  const head = Buffer.from(JSON.stringify({ lengths: bodies.map((body) => body.length), data: header }));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  const length = bodies.reduce((sum, body) => sum + body.length, 4 + head.length);
  prefix.writeUInt32BE(length, 0);
  prefix.writeUInt32BE(head.length, 4);
  return Buffer.concat([prefix, head, ...bodies]);
}

/** Assembles frames from chunks. @throws {FrameError} from `push`, as soon as a length exceeds the limit. */
export class FrameReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(piece: Buffer): Frame[] {
    this.#pieces.push(piece);
    this.#held += piece.length;
    const frames: Frame[] = [];
    for (;;) {
      if (this.#held < PREFIX_BYTES) return frames;
      const length = this.#prefix().readUInt32BE(0);
      if (length < 4 || length > this.#maxBytes)
        throw new FrameError(`The frame has ${length} bytes; at most ${this.#maxBytes} are allowed`);
      const end = 4 + length;
      if (this.#held < end) return frames;
      const bytes = this.#joined();
      frames.push(decode(bytes.subarray(4, end)));
      this.#pieces = this.#held === end ? [] : [bytes.subarray(end)];
      this.#held -= end;
    }
  }

  /** Chunks are joined only when a frame is complete, so that a long one is copied once. */
  #prefix(): Buffer {
    const [first] = this.#pieces;
    return first !== undefined && first.length >= PREFIX_BYTES ? first : this.#joined();
  }

  #joined(): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1) return first;
    const bytes = Buffer.concat(this.#pieces, this.#held);
    this.#pieces = [bytes];
    return bytes;
  }
}

function decode(frame: Buffer): Frame {
  const headEnd = 4 + frame.readUInt32BE(0);
  if (headEnd > frame.length) throw new FrameError('The header is longer than its frame');
  let head: unknown;
  try {
    head = JSON.parse(frame.toString('utf8', 4, headEnd));
  } catch {
    throw new FrameError('The header is not JSON');
  }
  const { lengths, data } = (typeof head === 'object' && head !== null ? head : {}) as Record<
    string,
    unknown
  >;
  if (!Array.isArray(lengths) || lengths.length > MAX_TEXTS)
    throw new FrameError('The header has no lengths');
  const texts: string[] = [];
  let at = headEnd;
  for (const length of lengths as unknown[]) {
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0)
      throw new FrameError('The header has an invalid length');
    if (at + length > frame.length) throw new FrameError('A text is longer than its frame');
    texts.push(frame.toString('utf8', at, at + length));
    at += length;
  }
  if (at !== frame.length) throw new FrameError('The frame has bytes after the last text');
  return { header: data, texts };
}
