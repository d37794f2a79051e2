const MAX_LENGTH = 64;

/** Derives an unused credential name from a host: `api_example_com_8080` for `api.example.com:8080`. */
export function createUniqueName(text: string, taken: readonly string[]): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const name = (/^\d/.test(plain) ? `host_${plain}` : plain || 'account').slice(0, MAX_LENGTH - 4);
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}_${number}`)) number++;
  return `${name}_${number}`;
}
