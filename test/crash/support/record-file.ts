import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Appends one line; a line written by one process is complete or missing. */
export function appendRecord(file: string, record: object): void {
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

export function readRecords<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
