export type Encoding = 'br' | 'gzip';

/** The smallest encoding that `Accept-Encoding` allows; null for none. */
export function chooseEncoding(accept: string | string[] | undefined): Encoding | null {
  const weights = new Map<string, boolean>();
  for (const part of String(accept ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    weights.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  const isAccepted = (name: Encoding): boolean => weights.get(name) ?? weights.get('*') ?? false;
  if (isAccepted('br')) return 'br';
  return isAccepted('gzip') ? 'gzip' : null;
}
