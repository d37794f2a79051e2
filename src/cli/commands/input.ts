import { readFileSync } from 'node:fs';
import { parseExactJson } from '../../lib/json/parse-json.ts';
import { askQuestion, readAll } from '../terminal/prompt.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Reads the JSON of an option that takes a file, `-` for standard input, or inline JSON, which begins with
 * `{`.
 */
export async function readInput(
  terminal: Pick<Terminal, 'stdin'>,
  given: string | undefined,
  option: string,
): Promise<Record<string, unknown> | undefined> {
  if (given === undefined) return undefined;
  const isInline = given.trimStart().startsWith('{');
  const from = isInline ? option : given === '-' ? 'standard input' : given;
  const value = parseJson(isInline ? given : await readText(terminal, given), from);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${from}: ${option} must be a JSON object.`);
  return value as Record<string, unknown>;
}

/** Reads the text of a file, or of standard input for `-`. */
export async function readText(terminal: Pick<Terminal, 'stdin'>, file: string): Promise<string> {
  return file === '-' ? readAll(terminal) : readBytes(file).toString('utf8');
}

/** Reads a secret from standard input, without one trailing line break, or prompts for it. */
export async function readHidden(terminal: Terminal, question: string): Promise<string> {
  return terminal.stdin.isTTY
    ? askQuestion(terminal, question, { isHidden: true })
    : (await readAll(terminal)).replace(/\r?\n$/, '');
}

export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT'
        ? `There is no file ${file}. (JSON itself begins with { and - is standard input.)`
        : `${file} cannot be read: ${message}`,
    );
  }
}

/** @throws {UsageError} with the source of the text and the syntax error. */
export function parseJson(text: string, from: string): unknown {
  try {
    return parseExactJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(`${from} is not valid JSON: ${(error as Error).message}`);
  }
}
