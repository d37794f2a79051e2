import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogStream } from './log-stream.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync('/tmp/weft-log-');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('writes lines in order', () => {
  const fd = openSync(join(folder, 'log'), 'a');
  const output = new LogStream(fd, () => 0);
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i}\n`);
  for (const line of lines) output.write(line);
  closeSync(fd);
  expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(lines.join(''));
});

test('does not block when the pipe is full, and later writes the buffered lines and the number of lost ones', () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const output = new LogStream(fd, () => Date.UTC(2026, 0, 1));
  const read = (): string => {
    let text = '';
    const piece = Buffer.alloc(64 * 1024);
    for (;;) {
      try {
        text += piece.toString('utf8', 0, readSync(fd, piece));
      } catch {
        return text;
      }
    }
  };
  const line = (i: number): string => `${JSON.stringify({ i, text: 'x'.repeat(1_001) })}\n`;
  for (let i = 0; i < 1_000; i++) output.write(line(i));
  let text = read();
  // Each one makes space for the next ones.
  for (let i = 1_000; i < 1_010; i++) {
    output.write(line(i));
    text += read();
  }
  closeSync(fd);
  const seen = text
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each) as { i?: number; lost?: number });
  const numbers = seen.flatMap(({ i }) => (i === undefined ? [] : [i]));
  const lost = seen.flatMap((each) => (each.lost === undefined ? [] : [each.lost]));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(numbers.at(-1)).toBe(1_009);
  expect(lost).toHaveLength(1);
  expect(numbers.length + lost[0]!).toBe(1_010);
  expect(lost[0]).toBeGreaterThan(500);
});

test('survives a full disk and a closed file', () => {
  const fd = openSync('/dev/full', 'w');
  const output = new LogStream(fd, () => 0);
  for (let i = 0; i < 10; i++) output.write('x\n');
  closeSync(fd);
  for (let i = 0; i < 10; i++) output.write('x\n');
});
