import { randomBytes } from 'node:crypto';
import type { ByteSource } from '../../contract/byte-source.ts';
import type { FormPart } from '../../contract/node-type.ts';

const LINE_END = '\r\n';

/** Encodes multipart/form-data (RFC 7578) with a random boundary. */
export function encodeForm(parts: readonly FormPart[]): { contentType: string; source: ByteSource } {
  const boundary = `weft-${randomBytes(18).toString('hex')}`;
  const pieces = parts.flatMap((part): (Uint8Array | ByteSource)[] => [
    Buffer.from(createPartHead(part, boundary)),
    typeof part.content === 'string' ? Buffer.from(part.content) : part.content,
    Buffer.from(LINE_END),
  ]);
  pieces.push(Buffer.from(`--${boundary}--${LINE_END}`));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    source: {
      size: pieces.reduce((sum, piece) => sum + readSize(piece), 0),
      async *read() {
        for (const piece of pieces) {
          if (piece instanceof Uint8Array) yield piece;
          else yield* piece.read();
        }
      },
    },
  };
}

export function readSize(content: Uint8Array | ByteSource): number {
  return content instanceof Uint8Array ? content.byteLength : content.size;
}

function createPartHead({ name, filename, contentType, content }: FormPart, boundary: string): string {
  const isFile = filename !== undefined && typeof content !== 'string';
  const type = contentType ?? (isFile ? 'application/octet-stream' : null);
  return [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${escape(name)}"${filename === undefined ? '' : `; filename="${escape(filename)}"`}`,
    ...(type === null ? [] : [`Content-Type: ${type.replaceAll(/[\r\n]/g, ' ')}`]),
    '',
    '',
  ].join(LINE_END);
}

/** As browsers do (HTML, multipart/form-data encoding algorithm). */
function escape(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
