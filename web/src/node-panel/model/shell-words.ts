const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

/** The words of a shell command, without quotes: as bash splits them, and lines continued with `\` or `^`. */
export function split(command: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let index = 0;
  while (index < command.length) {
    const char = command[index]!;
    if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
      index++;
    } else if ((char === '\\' || char === '^') && /^\r?\n/.test(command.slice(index + 1, index + 3))) {
      index += command[index + 1] === '\r' ? 3 : 2;
    } else if (char === '\\') {
      word = (word ?? '') + (command[index + 1] ?? '');
      index += 2;
    } else {
      const read = readPart(command, index);
      word = (word ?? '') + read.text;
      index = read.end;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

function readPart(command: string, index: number): { text: string; end: number } {
  const char = command[index]!;
  if (char === "'") {
    const end = findEnd(command, "'", index + 1);
    return { text: command.slice(index + 1, end), end: end + 1 };
  }
  if (char === '"')
    return readQuoted(command, index + 1, '"', (next) => (/["\\$`]/.test(next) ? next : `\\${next}`));
  if (char === '$' && command[index + 1] === "'")
    return readQuoted(command, index + 2, "'", (next) => ESCAPES[next] ?? next);
  return { text: char, end: index + 1 };
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
  let index = from;
  for (; index < command.length && command[index] !== quote; index++) {
    if (command[index] !== '\\') {
      text += command[index];
      continue;
    }
    const code = quote === "'" ? /^u([\da-f]{4})/i.exec(command.slice(index + 1, index + 6)) : null;
    if (code !== null) {
      text += String.fromCharCode(Number.parseInt(code[1]!, 16));
      index += 5;
    } else {
      index++;
      const next = command[index] ?? '';
      text += next === '\n' ? '' : escaped(next);
    }
  }
  return { text, end: index + 1 };
}
