import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { auditActions } from './audit-event.ts';

test('docs/audit.md lists all actions; regenerate it with: npm test -- src/contract/audit -u', async () => {
  const page = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8');
  const marks = /(<!-- actions -->\n)[\s\S]*(<!-- end of actions -->)/;
  expect(page).toMatch(marks);
  const names = Object.keys(auditActions).map((action) => `\`${action}\``);
  const nameWidth = Math.max(...names.map((name) => name.length));
  const texts = Object.values(auditActions);
  const textWidth = Math.max(...texts.map((text) => text.length));
  const rows = names.map((name, i) => `| ${name.padEnd(nameWidth)} | ${texts[i]!.padEnd(textWidth)} |`);
  const head = `| ${'action'.padEnd(nameWidth)} | ${'meaning'.padEnd(textWidth)} |`;
  const line = `| ${'-'.repeat(nameWidth)} | ${'-'.repeat(textWidth)} |`;
  const fresh = page.replace(
    marks,
    (_all, begin: string, end: string) => `${begin}\n${[head, line, ...rows].join('\n')}\n\n${end}`,
  );
  await expect(fresh).toMatchFileSnapshot('../../../docs/audit.md');
});
