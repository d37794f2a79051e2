import type { Question, QuestionRecipient, QuestionResult } from '../../../contract/node-orchestration.ts';
import { formatByteSize } from '../../../lib/text/byte-size.ts';
import { escapeHtml, convertMarkdownToText, renderMarkdown } from '../../../lib/text/message-markdown.ts';
import { formatIsoTime } from '../../../lib/time/iso-time.ts';

type AskedResult = Extract<QuestionResult, { kind: 'asked' }>;

type LinkedFile = { name: string; description: string; url: string };

const describeFile = ({ name, description, url }: LinkedFile): string => `- ${name} (${description}): ${url}`;

function renderFiles(files: readonly LinkedFile[]): string {
  if (files.length === 0) return '';
  const items = files.map(
    ({ name, description, url }) =>
      `<li><a href="${escapeHtml(url)}"><bdi>${escapeHtml(name)}</bdi></a> (${escapeHtml(description)})</li>\n`,
  );
  return `<h2>Attachments</h2>\n<ul>\n${items.join('')}</ul>\n`;
}

/** The e-mail about a decision, as text and as HTML. Both have the same content. */
export function createNoticeText(
  { title, message, choices, form }: Question,
  { deadline, attachments }: AskedResult,
  { url }: QuestionRecipient,
): { text: string; html: string } {
  const labels = choices.map(({ label }) => label).join(', ');
  const rule = `The link is for you alone. It is valid until ${formatIsoTime(deadline)}.`;
  const files = attachments.map(({ id, name, contentType, size }) => ({
    name,
    description: `${contentType}, ${formatByteSize(size)}`,
    url: `${url}/files/${encodeURIComponent(id)}`,
  }));
  const text = [
    ...(message === null ? [] : [convertMarkdownToText(message)]),
    ...(attachments.length === 0 ? [] : [`Attachments:\n${files.map(describeFile).join('\n')}`]),
    `${form === undefined ? `To respond (${labels})` : 'To fill in the form'}, open this page:\n${url}`,
    rule,
  ].join('\n\n');
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body>
<h1>${escapeHtml(title)}</h1>
${message === null ? '' : renderMarkdown(message)}
${renderFiles(files)}<p><a href="${escapeHtml(url)}">${form === undefined ? `Respond: ${escapeHtml(labels)}` : 'Fill in the form'}</a></p>
<p><small>${escapeHtml(rule)}</small></p>
</body>
</html>
`;
  return { text, html };
}
