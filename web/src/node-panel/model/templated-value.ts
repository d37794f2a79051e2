import { hasTemplate } from './local-preview.ts';

/** The distinct texts with templates anywhere in a JSON value, in the order of their appearance. */
export function collectTemplates(value: unknown): string[] {
  const found = new Set<string>();
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'string' && hasTemplate(part)) found.add(part);
    return part;
  });
  return [...found];
}

/** The same JSON value with each templated text replaced by its result. */
export function replaceTemplates(value: unknown, results: ReadonlyMap<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === 'string' && results.has(part) ? results.get(part) : part,
  ) as unknown;
}
