import { escapeMarkdown } from '../lib/text/escape-markdown.ts';
import { compilePlaceholder, References } from './compiler/compile.ts';
import { scanTemplate } from './compiler/tokenizer.ts';
import { Frame } from './evaluation-context.ts';
import { MAX_PRINTED_LENGTH } from './limits.ts';
import { print, createTooLargeError } from './result-limits.ts';
import { runExpression, type Template } from './template.ts';

const ODD_BACKSLASHES = /(?<!\\)(?:\\\\)*\\$/;

/** The marks of quotes and list items at the beginning of a line. */
const CONTAINERS = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+)*/;
/** A heading, or a table row with a cell before the placeholder. They have one line. */
const SINGLE_LINE = /^#{1,6}[ \t]|(?<!\\)\|/;

/** Keeps the lines of a value in the quote, list item, heading or table cell in which it begins. */
function keepInBlock(value: string, printed: string): string {
  if (!value.includes('\n')) return value;
  const line = printed.slice(printed.lastIndexOf('\n') + 1);
  const containers = CONTAINERS.exec(line)?.[0] ?? '';
  if (SINGLE_LINE.test(line.slice(containers.length))) return value.replaceAll(/\s*\n\s*/g, ' ');
  return value.replaceAll('\n', `\n${containers.replaceAll(/[^>\s]/g, ' ')}`);
}

/**
 * Compiles a Markdown text whose placeholders stay text: a value is printed and escaped, so that it cannot
 * become a link, a heading or another element. @throws {TemplateError}
 */
export function compileMarkdownTemplate(text: string): Template {
  const references = new References();
  const segments = scanTemplate(text);
  const parts = segments.map((segment) =>
    typeof segment === 'string' ? segment : compilePlaceholder(segment, references),
  );
  return {
    text,
    isConstant: parts.every((part) => typeof part === 'string'),
    isPath: false,
    secretNames: [...references.secrets],
    nodeIds: [...references.nodes],
    evaluate(scope) {
      const frame = new Frame(scope);
      let printed = '';
      for (const part of parts) {
        if (typeof part === 'string') printed += part;
        else {
          const value = print(runExpression(part, frame), MAX_PRINTED_LENGTH);
          const escaped = keepInBlock(escapeMarkdown(value.replaceAll(/\r\n?/g, '\n')), printed);
          // A backslash before the placeholder would turn the first escape into a visible backslash.
          printed += ODD_BACKSLASHES.test(printed) ? `\\${escaped}` : escaped;
        }
        if (printed.length > MAX_PRINTED_LENGTH) throw createTooLargeError(MAX_PRINTED_LENGTH);
      }
      return printed;
    },
  };
}
