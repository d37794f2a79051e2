const MAX_NAME_LENGTH = 255;
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\t\x20-\x7e]*)?$/;

/** Sanitizes a file name for display and headers: no folders, no control characters. */
export function cleanFileName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .replaceAll(/[\p{Cc}"]/gu, '')
    .slice(0, MAX_NAME_LENGTH)
    .trim();
  return plain === '' || plain === '.' || plain === '..' ? 'file' : plain;
}

/** The given type if it is valid in a header. */
export function cleanContentType(type: string): string {
  return CONTENT_TYPE.test(type) ? type : 'application/octet-stream';
}

/** The file name of a Content-Disposition header (RFC 6266), or null. */
export function readDispositionName(header: string): string | null {
  const extended = /filename\*=(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(header)?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended);
    } catch {
      return extended;
    }
  }
  const plain = /filename="([^"]+)"|filename=([^;\s]+)/i.exec(header);
  return plain?.[1] ?? plain?.[2] ?? null;
}
