const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,([A-Za-z0-9+/]*={0,2})$/;

/** Decodes a data URL in base64; null for any other text. */
export function readDataUrl(url: string): { contentType: string; bytes: Buffer } | null {
  const [, contentType, base64] = DATA_URL.exec(url) ?? [];
  if (contentType === undefined || base64 === undefined || base64.length % 4 !== 0) return null;
  return { contentType, bytes: Buffer.from(base64, 'base64') };
}
