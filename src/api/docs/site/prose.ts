import { Markup, markup } from '../../oauth/markup.ts';

/** A line of text with `code`, **strong** and [links](address). */
export function renderLine(text: string): Markup {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/);
  return join(
    parts.map((part) => {
      if (part.startsWith('`') && part.length > 1) return markup`<code>${part.slice(1, -1)}</code>`;
      if (part.startsWith('**') && part.length > 4) return markup`<strong>${part.slice(2, -2)}</strong>`;
      const link = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part);
      if (link !== null) return markup`<a href="${link[2]!}">${renderLine(link[1]!)}</a>`;
      return markup`${part}`;
    }),
  );
}

/** One paragraph for each text. */
export function renderParagraphs(...texts: readonly string[]): Markup {
  return join(texts.map((text) => markup`<p>${renderLine(text)}</p>`));
}

export function renderBullets(...texts: readonly string[]): Markup {
  return markup`<ul class="plain">${texts.map((text) => markup`<li>${renderLine(text)}</li>`)}</ul>`;
}

export function join(parts: readonly Markup[]): Markup {
  return new Markup(parts.map((part) => part.text).join(''));
}

/** A table with lines as cells; wide tables can be scrolled with the keyboard. */
export function renderTable(
  label: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): Markup {
  return markup`<div class="table" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${header.map(
    (cell) => markup`<th scope="col">${cell}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) => markup`<tr>${row.map((cell) => markup`<td>${renderLine(cell)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** The URL form of a text. */
export function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
