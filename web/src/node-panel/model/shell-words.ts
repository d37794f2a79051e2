const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

/** The words of a shell command, without quotes: as bash splits them, and lines continued with `\` or `^`. */
export function split(command: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  while (at < command.length) {
    const char = command[at]!;
    if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
      at++;
    } else if ((char === '\\' || char === '^') && /^\r?\n/.test(command.slice(at + 1, at + 3))) {
      at += command[at + 1] === '\r' ? 3 : 2;
    } else if (char === '\\') {
      word = (word ?? '') + (command[at + 1] ?? '');
      at += 2;
    } else {
      const read = readPart(command, at);
      word = (word ?? '') + read.text;
      at = read.end;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

function readPart(command: string, at: number): { text: string; end: number } {
  const char = command[at]!;
  if (char === "'") {
    const end = findEnd(command, "'", at + 1);
    return { text: command.slice(at + 1, end), end: end + 1 };
  }
  if (char === '"')
    return readQuoted(command, at + 1, '"', (next) => (/["\\$`]/.test(next) ? next : `\\${next}`));
  if (char === '$' && command[at + 1] === "'")
    return readQuoted(command, at + 2, "'", (next) => ESCAPES[next] ?? next);
  return { text: char, end: at + 1 };
}

function findEnd(command: string, quote: string, from: number): number {
  const end = command.indexOf(quote, from);
  return end < 0 ? command.length : end;
}

function readQuoted(
  command: string,
  from: number,
  quote: string,
  escaped: (next: string) => string,
): { text: string; end: number } {
  let text = '';
  let at = from;
  for (; at < command.length && command[at] !== quote; at++) {
    if (command[at] !== '\\') {
      text += command[at];
      continue;
    }
    const code = quote === "'" ? /^u([\da-f]{4})/i.exec(command.slice(at + 1, at + 6)) : null;
    if (code !== null) {
      text += String.fromCharCode(Number.parseInt(code[1]!, 16));
      at += 5;
    } else {
      at++;
      const next = command[at] ?? '';
      text += next === '\n' ? '' : escaped(next);
    }
  }
  return { text, end: at + 1 };
}
