export type Encoding = 'br' | 'gzip';

/** The packed form that this `Accept-Encoding` takes, the smallest first; null is the plain one. */
export function chooseEncoding(accept: string | string[] | undefined): Encoding | null {
  const taken = new Map<string, boolean>();
  for (const part of String(accept ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    taken.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  const takes = (name: Encoding): boolean => taken.get(name) ?? taken.get('*') ?? false;
  if (takes('br')) return 'br';
  return takes('gzip') ? 'gzip' : null;
}
