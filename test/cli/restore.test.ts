import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useWeftCommand } from './weft-command.ts';

const one = useWeftCommand();

test('a damaged backup is one line, and nothing is written', async () => {
  const backup = path.join(one.folder, 'backup');
  const goal = path.join(one.folder, 'goal');
  const made = await one.weft(['backup', backup], { env: { WEFT_DATA_DIR: path.join(one.folder, 'data') } });
  expect(made, made.stderr).toMatchObject({ code: 0 });

  async function refuses(line: string): Promise<void> {
    const { code, stderr } = await one.weft(['restore', backup], { env: { WEFT_DATA_DIR: goal } });
    expect([code, stderr]).toEqual([1, `weft: The backup is damaged: ${line}.\n`]);
    expect(existsSync(goal)).toBe(false);
  }
  const manifest = path.join(backup, 'manifest.json');
  const whole = readFileSync(manifest);
  for (const text of ['', '{', 'null', '1', '"text"', '[]', '{}']) {
    writeFileSync(manifest, text);
    await refuses('manifest.json is not a manifest');
  }
  const known = JSON.parse(whole.toString()) as object;
  for (const [part, line] of [
    [{ sha256: null }, 'does not list its files'],
    [{ sha256: { '../weft.db': '' } }, 'does not list its files'],
    [{ counts: undefined }, 'does not describe its content'],
    [{ createdAt: 1 }, 'does not describe its content'],
  ] as const) {
    writeFileSync(manifest, JSON.stringify({ ...known, ...part }));
    await refuses(`manifest.json ${line}`);
  }
  writeFileSync(manifest, whole);
  for (const name of ['weft.db', 'secret.key']) {
    const file = path.join(backup, name);
    const content = readFileSync(file);
    rmSync(file);
    await refuses(`${name} is missing`);
    writeFileSync(file, content);
  }
  expect((await one.weft(['restore', backup], { env: { WEFT_DATA_DIR: goal } })).code).toBe(0);
});
