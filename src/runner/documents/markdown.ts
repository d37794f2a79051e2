import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';
import TurndownService from 'turndown';
import { gfm } from 'turndown-plugin-gfm';
import { DocumentError } from './document-messages.ts';

/** Converts HTML to GitHub's Markdown. */
export function toMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
  });
  service.use(gfm);
  return service.turndown(html);
}

/** Converts Markdown to HTML. With `isSanitized`, without anything that is unsafe in a page. */
export function toHtml(document: Buffer, isSanitized: boolean, hasBreaks: boolean): string {
  const html = new MarkdownIt({ html: true, linkify: true, breaks: hasBreaks }).render(decode(document));
  if (!isSanitized) return html;
  const { allowedTags, allowedAttributes } = sanitizeHtml.defaults;
  return sanitizeHtml(html, {
    allowedTags: [...allowedTags, 'img', 'del', 'ins'],
    allowedAttributes: { ...allowedAttributes, code: ['class'], th: ['style'], td: ['style'] },
    allowedStyles: { '*': { 'text-align': [/^(left|right|center)$/] } },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  });
}

function decode(document: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(document);
  } catch {
    throw new DocumentError('must be text in UTF-8');
  }
}
