import { t } from '../i18n/index.ts';

/** Parses the input of a run: returns an object, or an error message. */
export function readInput(text: string): Record<string, unknown> | string {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
    return t('must be a JSON object, such as {{example}}.', { example: '{"name": "Ada"}' });
  } catch (error) {
    return error instanceof Error ? error.message : t('Not valid JSON');
  }
}
