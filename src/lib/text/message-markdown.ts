import MarkdownIt from 'markdown-it';

/*
 * Messages to people in Markdown: CommonMark with tables and strikethrough. HTML is shown as text, links lead
 * only to http, https and mailto, and an image is replaced by its description, so that a message loads
 * nothing. `web/src/ui/markdown.tsx` does the same in the editor.
 */

const LINK = /^(?:https?:\/\/|mailto:)/i;
const MAX_HEADING = 6;
const MAX_NESTING = 20;

/**
 * Rows are filled up to the width of the table, so a short text could become a very large one. It is then
 * shown as text.
 */
const MAX_CELLS = 10_000;

function createParser() {
  const created = new MarkdownIt({ html: false, linkify: false, breaks: true });
  // An indented value would otherwise become code.
  created.disable('code');
  created.set({ maxNesting: MAX_NESTING });
  created.validateLink = (url) => LINK.test(url);
  created.renderer.rules.image = (tokens, index) => escapeHtml(tokens[index]?.content ?? '');
  return created;
}

const parser = createParser();
const tablelessParser = createParser().disable('table');

function parse(markdown: string): Token[] {
  const lines = markdown.split('\n');
  const columns = lines.reduce((most, line) => Math.max(most, line.split('|').length), 0);
  return (columns * lines.length > MAX_CELLS ? tablelessParser : parser).parse(markdown, {});
}

type Token = ReturnType<typeof parser.parse>[number];

export const { escapeHtml } = parser.utils;

/** HTML without scripts, styles and images. Headings are below the title of the page, which is an `h1`. */
export function renderMarkdown(markdown: string): string {
  const tokens = parse(markdown);
  for (const token of tokens) {
    if (token.type.startsWith('heading_'))
      token.tag = `h${Math.min(Number(token.tag.slice(1)) + 1, MAX_HEADING)}`;
    // The alignment of a cell is an inline style, which the policy of the page blocks.
    if (token.type === 'th_open' || token.type === 'td_open') token.attrs = null;
    for (const child of token.children ?? []) {
      if (child.type !== 'link_open') continue;
      child.attrSet('rel', 'noopener noreferrer nofollow');
      child.attrSet('target', '_blank');
    }
  }
  return parser.renderer.render(tokens, parser.options, {});
}

/** The text for readers without HTML. A link is followed by its address. */
export function convertMarkdownToText(markdown: string): string {
  let text = '';
  let quotes = 0;
  let lists = 0;
  let mark = '';
  let cells: string[] | null = null;
  let isAfterLine = false;

  /** Lines of a list or a table follow each other. Other blocks have an empty line between them. */
  function write(block: string): void {
    const isLine = lists > 0 || cells !== null;
    if (text !== '') text += isLine && isAfterLine ? '\n' : '\n\n';
    isAfterLine = isLine;
    const prefix = '> '.repeat(quotes) + '  '.repeat(Math.max(0, lists - 1));
    const indent = lists > 0 ? '  ' : '';
    text += prefix + (mark === '' ? indent : mark) + block.replaceAll('\n', `\n${prefix}${indent}`);
    mark = '';
  }

  for (const { type, info, content, children, markup } of parse(markdown)) {
    if (type === 'bullet_list_open' || type === 'ordered_list_open') lists++;
    else if (type === 'bullet_list_close' || type === 'ordered_list_close') {
      lists--;
      if (lists === 0) isAfterLine = false;
    } else if (type === 'list_item_open') mark = info === '' ? '- ' : `${info}${markup} `;
    else if (type === 'blockquote_open') quotes++;
    else if (type === 'blockquote_close') quotes--;
    else if (type === 'tr_open') cells = [];
    else if (type === 'tr_close') {
      write((cells ?? []).join(' | '));
      cells = null;
    } else if (type === 'table_close') isAfterLine = false;
    else if (type === 'fence') write(content.trimEnd());
    else if (type === 'hr') write('---');
    else if (type !== 'inline') continue;
    else if (cells !== null) cells.push(inlineToText(children ?? []));
    else write(inlineToText(children ?? []));
  }
  return text;
}

function inlineToText(tokens: readonly Token[]): string {
  let text = '';
  const links: { url: string; start: number }[] = [];
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') text += '\n';
    else if (token.type === 'link_open') {
      links.push({ url: String(token.attrGet('href')), start: text.length });
    } else if (token.type === 'link_close') {
      const link = links.pop();
      if (link !== undefined && link.url !== text.slice(link.start)) text += ` (${link.url})`;
    } else text += token.content;
  }
  return text;
}
