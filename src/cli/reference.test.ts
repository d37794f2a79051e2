import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createProgram } from './program.ts';
import { formatCommandReference } from './reference.ts';

const program = createProgram(
  {
    env: {},
    stdin: new PassThrough(),
    columns: null,
    hasColor: false,
    isInteractive: false,
    out() {},
    err() {},
    interrupts: () => new AbortController().signal,
  },
  () => {},
  () => {},
);

it('docs/cli.md is up to date; regenerate it with: npm test -- src/cli/reference.test.ts -u', async () => {
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  const marks = /(<!-- commands -->\n)[\s\S]*(<!-- end of commands -->)/;
  expect(page).toMatch(marks);
  const fresh = page.replace(
    marks,
    (_all, begin: string, end: string) => `${begin}\n${formatCommandReference(program)}\n${end}`,
  );
  await expect(fresh).toMatchFileSnapshot('../../docs/cli.md');
});
