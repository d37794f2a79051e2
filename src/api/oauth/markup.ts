/**
 * HTML that is safe to send. Created only by `markup`, by `renderMarkdown`, and from literals in the source.
 */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | Markup | readonly Markup[];

/** A template that escapes its parts, except those created by `markup`. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = strings[0] ?? '';
  for (const [i, part] of parts.entries()) text += renderPart(part) + (strings[i + 1] ?? '');
  return new Markup(text);
}

export const nothing = new Markup('');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function renderPart(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '');
  return part.map((one) => one.text).join('');
}
