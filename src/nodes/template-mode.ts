import type { TemplateMode } from '../contract/node-type.ts';
import { isObject } from '../lib/json/json.ts';

/** Whether a value is a string with a placeholder. */
export function isTemplated(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{');
}

type Pattern = { steps: string[]; mode: TemplateMode };

/**
 * Returns a function that finds the template mode of a configuration string; undefined means evaluated before
 * the node runs.
 */
export function createModeFinder(
  templates: Readonly<Record<string, TemplateMode>> | undefined,
): (location: readonly string[]) => TemplateMode | undefined {
  const patterns: Pattern[] = Object.entries(templates ?? {}).map(([text, mode]) => ({
    steps: text.split('.'),
    mode,
  }));
  return (location) => patterns.find((pattern) => covers(pattern.steps, location))?.mode;
}

/** A pattern applies to its own location and to everything below it. */
function covers(steps: readonly string[], location: readonly string[]): boolean {
  return steps.length <= location.length && steps.every((step, i) => step === '*' || step === location[i]);
}

/** Finds the JSON pointers of all strings for which `wanted` returns true. */
export function findStrings(
  config: unknown,
  wanted: (text: string, location: readonly string[]) => boolean,
): Set<string> {
  const found = new Set<string>();
  const work: { value: unknown; place: readonly string[] }[] = [{ value: config, place: [] }];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { value, place } = item;
    if (typeof value === 'string') {
      if (wanted(value, place)) found.add(formatPointer(place));
    } else if (Array.isArray(value)) {
      for (const [i, element] of value.entries()) work.push({ value: element, place: [...place, String(i)] });
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) work.push({ value: value[key], place: [...place, key] });
    }
  }
  return found;
}

/** A JSON pointer (RFC 6901), written as Ajv writes it. */
export function formatPointer(location: readonly string[]): string {
  return location.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function parsePointer(text: string): string[] {
  if (text === '') return [];
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
