import type { ASTNode } from '@marcbachmann/cel-js';
import { Environment, ParseError } from '@marcbachmann/cel-js';
import { TemplateError } from '../errors.ts';
import { MAX_EXPRESSION_PARTS } from '../limits.ts';
import type { Source } from './tokenizer.ts';

export type { ASTNode } from '@marcbachmann/cel-js';

/** Only the parser is used. Our compiler defines the semantics of numbers, paths and limits. */
const cel = new Environment({
  unlistedVariablesAreDyn: true,
  limits: {
    maxAstNodes: MAX_EXPRESSION_PARTS,
    maxDepth: 100,
    maxListElements: 1000,
    maxMapEntries: 1000,
    maxCallArguments: 32,
  },
});

/** Parses a CEL expression. @throws {TemplateError} */
export function parseExpression(source: Source): ASTNode {
  try {
    return cel.parse(source.text).ast;
  } catch (error) {
    if (error instanceof ParseError)
      throw new TemplateError(explain(error), source.at + (error.range?.start ?? 0));
    if (error instanceof RangeError) throw new TemplateError('The expression is nested too deep', source.at);
    throw new TemplateError('The expression cannot be read', source.at);
  }
}

function explain(error: ParseError): string {
  const summary = error.summary;
  if (error.code === 'reserved_identifier') {
    const name = summary.replace(/^.*: /, '');
    return `${name} is a reserved word; a field of this name is read by input.${name}`;
  }
  if (error.code === 'unexpected_character' && summary.endsWith(': |'))
    return 'A filter must follow the whole expression';
  if (error.code === 'limit_exceeded') return `The expression is too large: ${summary}`;
  return `Wrong expression: ${summary}`;
}
