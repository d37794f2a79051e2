import { resolvePath, parsePath, type TemplateScope } from './template-scope.ts';

/** The result of a text: a value, an error, or null if only the service can evaluate it. */
export type PreviewResult = { readonly value: unknown } | { readonly error: string } | null;

const SINGLE_TEMPLATE = /^\s*\{\{([^{}|]*)\}\}\s*$/;

/** The value of a template that is one path alone, found in what is known here. */
export function previewLocally(text: string, scope: TemplateScope): PreviewResult {
  const lone = SINGLE_TEMPLATE.exec(text);
  if (lone === null || text.trim() !== text) return null;
  const segments = parsePath(lone[1]!.trim());
  if (segments === null || segments[0] === 'secrets') return null;
  const { found, value } = resolvePath(scope, segments);
  return found && value !== undefined ? { value } : null;
}

export function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

/** Braces that are opened and not closed: the text is still being typed. */
export function isUnfinished(text: string): boolean {
  return text.lastIndexOf('{{') > text.lastIndexOf('}}');
}
