import { describe, expect, test } from 'vitest';
import { escapeMarkdown, redactMarkdown } from './escape-markdown.ts';
import { convertMarkdownToText, renderMarkdown } from './message-markdown.ts';

const ALLOWED_TAGS = new Set(
  'a,blockquote,br,code,em,h2,h3,h4,h5,h6,hr,li,ol,p,pre,s,strong,table,tbody,td,th,thead,tr,ul'.split(','),
);
const listTags = (html: string): string[] => [...html.matchAll(/<\/?([a-z0-9]+)/gi)].map((tag) => tag[1]!);

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](data:text/html,<script>alert(1)</script>)',
  '[a](vbscript:x)',
  '[a](/v1/decide/x)',
  '[a](&#106;avascript:alert(1))',
  '<javascript:alert(1)>',
  '![x](https://evil.example/pixel.png)',
  '[![x](https://evil.example/a.png)](https://evil.example)',
  '[a](https://a.example "x\\" onmouseover=alert(1) y=\\"")',
  '[a]: javascript:alert(1)\n\n[a]',
  '```html"onload=alert(1)\n<b>\n```',
  '`<b onclick=x>`',
];

describe('rendering', () => {
  test.each(HOSTILE)('%s becomes nothing that runs or loads', (text) => {
    const html = renderMarkdown(text);
    for (const tag of listTags(html)) expect(ALLOWED_TAGS).toContain(tag);
    for (const [, name, value] of html.matchAll(/<[a-z0-9]+[^>]*?\s([a-z]+)="([^"]*)"/gi)) {
      expect(['href', 'rel', 'target', 'title', 'class', 'start']).toContain(name);
      if (name === 'href') expect(value).toMatch(/^(https?:|mailto:)/);
    }
    expect(html.replaceAll(/"[^"]*"/g, '')).not.toMatch(/<[^>]*\son\w+=/i);
  });

  test('formats a message; headings are below the title of the page', () => {
    expect(renderMarkdown('# Trip\n**Ghent**\n[Offer](https://a.example/?q=1&r=2)')).toBe(
      '<h2>Trip</h2>\n<p><strong>Ghent</strong><br>\n<a href="https://a.example/?q=1&amp;r=2" rel="noopener noreferrer nofollow" target="_blank">Offer</a></p>\n',
    );
    expect(renderMarkdown('| a | b |\n|--:|---|\n| 1 | 2 |')).toContain('<th>a</th>');
  });

  test.each([
    ['nested quotes', '> '.repeat(9_000) + 'x'],
    ['nested lists', Array.from({ length: 190 }, (_, i) => `${' '.repeat(i)}- x`).join('\n')],
    ['brackets', '['.repeat(20_000)],
    ['links', '[a]('.repeat(5_000)],
    ['stars', '*a '.repeat(6_600)],
    ['mixed stars', '**a*'.repeat(5_000)],
    ['backticks', Array.from({ length: 190 }, (_, i) => '`'.repeat(i + 1)).join(' ')],
    ['angles', '<'.repeat(20_000)],
    ['references', '[a]: b\n'.repeat(2_800)],
    ['table', `${'|a'.repeat(4_000)}|\n${'|-'.repeat(4_000)}|\n${'|\n'.repeat(1_000)}`],
    ['escapes', '\\'.repeat(20_000)],
  ])('a huge message is rendered in time: %s', (_name, text) => {
    const started = performance.now();
    expect(renderMarkdown(text).length).toBeLessThan(5_000_000);
    convertMarkdownToText(text);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('a table that is too large is text', () => {
    const table = (rows: number): string => `${'|a'.repeat(50)}|\n${'|-'.repeat(50)}|\n${'|\n'.repeat(rows)}`;
    expect(renderMarkdown(table(100))).toContain('<table>');
    expect(renderMarkdown(table(1_000))).not.toContain('<table>');
  });
});

test('as text, a message keeps its lists, tables and addresses', () => {
  const text = convertMarkdownToText(
    '# Trip\n\nTo **Ghent**\nby `train`\n\n- one\n- two\n  1. inner\n     more\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[Offer](https://a.example) <https://b.example>\n\n```\nx < y\n```',
  );
  expect(text).toBe(
    'Trip\n\nTo Ghent\nby train\n\n- one\n- two\n  1. inner\n    more\n\n> said\n\na | b\n1 | 2\n\nOffer (https://a.example) https://b.example\n\nx < y',
  );
});

describe('a value of the execution', () => {
  const plain = (html: string): string =>
    html
      .replaceAll(/<br>\n|<\/p>\n<p>/g, '\n')
      .replaceAll(/^<p>|<\/p>\n$/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
  const values = [
    ...HOSTILE.filter((value) => !value.includes('\n\n')),
    '[Approve here](https://evil.example)',
    '<https://evil.example>',
    '**bold** _em_ ~~s~~ `code`',
    '# Heading',
    'a\n===',
    'a\n---',
    '- item',
    '+ item',
    '1. item',
    '12) item',
    '> quote',
    '| a | b |\n| - | - |',
    '~~~\ncode\n~~~',
    '[x]: https://evil.example',
    '&lt;b&gt; &#60;',
    'C:\\temp\\_x_',
    '(https://evil.example)',
    'snake_case_name R&D 3 - 2 = 1!',
    '\\',
    '![a](https://evil.example)',
  ];
  test.each(values)('%j is shown as it is', (value) => {
    const html = renderMarkdown(escapeMarkdown(value));
    expect(listTags(html).every((tag) => tag === 'p' || tag === 'br')).toBe(true);
    expect(plain(html)).toBe(value);
    expect(convertMarkdownToText(escapeMarkdown(value))).toBe(value);
  });

  test.each(values)('%j changes nothing in the text around it', (value) => {
    const html = renderMarkdown(
      `**Order** [${escapeMarkdown('](https://evil.example)')}](https://shop.example) ${escapeMarkdown(value)} [Open](https://shop.example)`,
    );
    expect(new Set([...html.matchAll(/href="([^"]*)"/g)].map((link) => link[1]))).toEqual(
      new Set(['https://shop.example']),
    );
    expect(html.match(/<a /g)).toHaveLength(2);
    expect(html.match(/<strong>/g)).toHaveLength(1);
  });

  test('is the address of a link as it is, and no link with another scheme', () => {
    const link = (url: string): string => renderMarkdown(`[x](${escapeMarkdown(url)})`);
    expect(link('https://a.example/p_(q)_?a=1&b=~2*3')).toContain(
      'href="https://a.example/p_(q)_?a=1&amp;b=~2*3"',
    );
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//evil.example'])
      expect(link(url)).not.toContain('<a');
  });

  test('common values stay readable', () => {
    for (const value of [
      'Ada Lovelace',
      'ada_b@example.com',
      '250.00 EUR (net)',
      'R & D, 3 - 2',
      '-5',
      '#17',
      '50 %',
    ])
      expect(escapeMarkdown(value)).toBe(value);
  });

  test('a secret is redacted although it is escaped', () => {
    const secret = '*s_e*c[r]et';
    const redact = (text: string): string => text.replaceAll(secret, '[REDACTED]');
    expect(redactMarkdown(`**Key**: ${escapeMarkdown(secret)}`, redact)).not.toContain('c');
    expect(redactMarkdown('**Key** \\*', redact)).toBe('**Key** \\*');
  });
});
