import { findExpressionStart } from './completion.ts';

/** The segments from a root of the templates to a value: `['input', 'items', 0, 'sku']`. */
export type PathSegments = readonly (string | number)[];

/** The MIME type of a dragged path; its data is the segments as JSON. */
export const PATH_MIME_TYPE = 'application/x-weft-path';

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/;

/** `input.items[0]["odd name"]` */
export function formatPath(segments: PathSegments): string {
  return segments
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!PLAIN_NAME.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}

export function toTemplate(segments: PathSegments): string {
  return `{{ ${formatPath(segments)} }}`;
}

/** The path in the input for a field that takes one without braces; null for a value outside the input. */
function formatInputPath([root, ...rest]: PathSegments): string | null {
  return root === 'input' && typeof rest[0] === 'string' ? formatPath(rest) : null;
}

/**
 * Inserts a path in place of a selection; returns the text and the new cursor position. Inside `{{ }}` the
 * path is inserted without braces. A field for bare paths is replaced; null if it cannot contain this path.
 */
export function insertPath(
  text: string,
  selection: { readonly from: number; readonly to: number },
  segments: PathSegments,
  isPath: boolean,
): { text: string; cursor: number } | null {
  if (isPath) {
    const path = formatInputPath(segments);
    return path === null ? null : { text: path, cursor: path.length };
  }
  const { from, to } = selection;
  const start = findExpressionStart(text, from);
  const isOpen = start !== null;
  const isClosed = /^[^{]*\}\}/.test(text.slice(to));
  const lead = isOpen && from === start ? ' ' : '';
  const trail = isOpen && !isClosed ? ' }}' : isOpen && text.startsWith('}}', to) ? ' ' : '';
  const inserted = isOpen ? `${lead}${formatPath(segments)}${trail}` : toTemplate(segments);
  return { text: text.slice(0, from) + inserted + text.slice(to), cursor: from + inserted.length };
}
