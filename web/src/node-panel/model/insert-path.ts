import { openBraces } from './completion.ts';

/** The steps from a root of the templates to a value: `['input', 'items', 0, 'sku']`. */
export type Steps = readonly (string | number)[];

/** The MIME type of a dragged path; its data is the steps as JSON. */
export const PATH_MIME_TYPE = 'application/x-weft-path';

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/;

/** `input.items[0]["odd name"]` */
export function pathText(steps: Steps): string {
  return steps
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!PLAIN_NAME.test(step)) return `[${JSON.stringify(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

export function toTemplate(steps: Steps): string {
  return `{{ ${pathText(steps)} }}`;
}

/** The path in the input for a field that takes one without braces; null for a value outside the input. */
function inputPath([root, ...rest]: Steps): string | null {
  return root === 'input' && typeof rest[0] === 'string' ? pathText(rest) : null;
}

/**
 * The text of a field with a path inserted in place of a selection, and the new cursor position. Inside of braces the path
 * stands alone. A field for bare paths contains one path, which is replaced; null if it cannot take this one.
 */
export function insertPath(
  text: string,
  selection: { readonly from: number; readonly to: number },
  steps: Steps,
  isPath: boolean,
): { text: string; cursor: number } | null {
  if (isPath) {
    const path = inputPath(steps);
    return path === null ? null : { text: path, cursor: path.length };
  }
  const { from, to } = selection;
  const start = openBraces(text, from);
  const isOpen = start !== null;
  const isClosed = /^[^{]*\}\}/.test(text.slice(to));
  const lead = isOpen && from === start ? ' ' : '';
  const trail = isOpen && !isClosed ? ' }}' : isOpen && text.startsWith('}}', to) ? ' ' : '';
  const inserted = isOpen ? `${lead}${pathText(steps)}${trail}` : toTemplate(steps);
  return { text: text.slice(0, from) + inserted + text.slice(to), cursor: from + inserted.length };
}
