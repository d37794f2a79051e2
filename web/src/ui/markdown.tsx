import MarkdownIt from 'markdown-it';
import { createElement, Fragment, useMemo, type ReactNode } from 'react';

/*
 * Messages to people, as in `src/lib/text/message-markdown.ts`: HTML is shown as text, links lead only to
 * http, https and mailto, and an image is replaced by its description.
 */

const LINK_PATTERN = /^(?:https?:\/\/|mailto:)/i;
/** Dialogs have a title of the level 2. */
const HEADING_OFFSET = 2;
const MAX_HEADING = 6;

const MAX_CELLS = 10_000;

function createParser() {
  const created = new MarkdownIt({ html: false, linkify: false, breaks: true });
  created.disable('code');
  created.set({ maxNesting: 20 });
  created.validateLink = (url) => LINK_PATTERN.test(url);
  return created;
}

const parser = createParser();
const tablelessParser = createParser().disable('table');

function parse(text: string): Token[] {
  const lines = text.split('\n');
  const columns = lines.reduce((most, line) => Math.max(most, line.split('|').length), 0);
  return (columns * lines.length > MAX_CELLS ? tablelessParser : parser).parse(text, {});
}

type Token = ReturnType<typeof parser.parse>[number];
type Open = { tag: string | typeof Fragment; props: Record<string, string>; children: ReactNode[] };

export function Markdown({ text }: { text: string }) {
  const content = useMemo(() => build(parse(text)), [text]);
  return <div className="markdown">{content}</div>;
}

/** React elements instead of HTML, so that no text can become markup. */
function build(tokens: readonly Token[]): ReactNode {
  const root: Open = { tag: Fragment, props: {}, children: [] };
  const open = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.nesting === 1) open.push({ ...readElement(token), children: [] });
    else if (token.nesting === 0) parent.children.push(buildLeaf(token));
    else if (open.length > 1) {
      open.pop();
      open.at(-1)?.children.push(createElement(parent.tag, parent.props, ...parent.children));
    }
  }
  return createElement(Fragment, null, ...root.children);
}

function readElement(token: Token): Omit<Open, 'children'> {
  if (token.hidden) return { tag: Fragment, props: {} };
  if (token.type === 'heading_open') {
    const level = Math.min(Number(token.tag.slice(1)) + HEADING_OFFSET, MAX_HEADING);
    return { tag: `h${level}`, props: {} };
  }
  if (token.type === 'link_open') {
    const href = String(token.attrGet('href'));
    return { tag: 'a', props: { href, rel: 'noopener noreferrer nofollow', target: '_blank' } };
  }
  const start = token.attrGet('start');
  return { tag: token.tag, props: start === null ? {} : { start: String(start) } };
}

function buildLeaf({ type, content, children }: Token): ReactNode {
  switch (type) {
    case 'inline':
      return build(children ?? []);
    case 'softbreak':
    case 'hardbreak':
      return <br />;
    case 'code_inline':
      return <code>{content}</code>;
    case 'fence':
      return (
        <pre>
          <code>{content}</code>
        </pre>
      );
    case 'hr':
      return <hr />;
    default:
      return content;
  }
}
