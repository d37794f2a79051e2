import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Terminal } from './terminal.ts';
import { Interrupted, UsageError } from '../usage-error.ts';

/** Maximum number of characters read from standard input; more than the service accepts. */
const MAX_INPUT_LENGTH = 40 * 1024 * 1024;

type PromptTerminal = Pick<Terminal, 'stdin' | 'err'>;

/**
 * Reads the first line of standard input. On a terminal, `question` is printed and the typed text is shown or
 * hidden.
 */
export async function askQuestion(
  { stdin, err }: PromptTerminal,
  question: string,
  options: { readonly isHidden: boolean },
): Promise<string> {
  const isTerminal = stdin.isTTY === true;
  if (!stdin.readable) return '';
  if (isTerminal) err(question);
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!options.isHidden) err(chunk.toString());
      done();
    },
  });
  const lines = createInterface({ input: stdin, ...(isTerminal ? { output, terminal: true } : {}) });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => reject(new Interrupted('SIGINT')));
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
    if (isTerminal && options.isHidden) err('\n');
  }
}

/** Asks for confirmation. @throws {UsageError} without a terminal: a script must pass --yes. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive) throw new UsageError(`${question} Without a terminal, --yes is required.`);
  const response = await askQuestion(terminal, `${question} [y/N] `, { isHidden: false });
  return /^y(es)?$/i.test(response.trim());
}

/** Reads all of standard input as text. */
export async function readAll({ stdin }: Pick<Terminal, 'stdin'>): Promise<string> {
  if (stdin.isTTY) throw new UsageError('- stands for standard input, but nothing is piped in.');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const chunk of stdin) {
    text += decoder.decode(chunk as Buffer, { stream: true });
    if (text.length > MAX_INPUT_LENGTH)
      throw new UsageError(`More than ${MAX_INPUT_LENGTH} characters were piped in.`);
  }
  return text + decoder.decode();
}
