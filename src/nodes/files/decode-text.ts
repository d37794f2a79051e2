import { DataError } from '../data/data-error.ts';
import { oneOfTexts } from '../schema.ts';
import { ui } from '../ui-hints.ts';

/** Encodings of text files, by their names in the Encoding Standard. */
const ENCODINGS = [
  'auto',
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'iso-8859-2',
  'iso-8859-15',
  'shift_jis',
  'euc-kr',
  'gb18030',
  'big5',
] as const;
export type TextEncoding = (typeof ENCODINGS)[number];

/** The field `encoding` of nodes that read text files. */
export function encodingField() {
  return oneOfTexts(ENCODINGS, {
    default: 'auto',
    title: 'Encoding',
    ...ui({ advanced: true }),
    description:
      'The encoding of a file. auto reads UTF-8, or UTF-16 if the file starts with a byte order mark.',
  });
}

/**
 * Decodes a stream of bytes, without its byte order mark. `field` is the configuration field of the file.
 * @throws {DataError} if a byte is not valid in the encoding.
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
  field: string,
): AsyncGenerator<string, void> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let name: string = encoding;
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece === undefined ? (decoder?.decode() ?? '') : decoder!.decode(piece, { stream: true });
    } catch {
      throw new DataError(field, `must be text in ${name}; set encoding if it has another one`);
    }
  };
  for await (const piece of bytes) {
    if (piece.length === 0) continue;
    if (decoder === null) {
      if (encoding === 'auto') name = detectUnicode(piece);
      decoder = new TextDecoder(name, { fatal: true });
    }
    yield decode(piece);
  }
  yield decode();
}

/** The first piece of a file has both bytes of a mark. */
function detectUnicode([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
