import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { adminEmail, adminPassword } from '../support/service.ts';
import { useWeftCommand } from './weft-command.ts';

const one = useWeftCommand();
const nothing = { env: {} };
const file = () => path.join(one.folder, 'config/weft/profiles.json');

test('a login is kept for its service, readable by its owner alone, until a logout', async () => {
  const before = await one.weft(['whoami'], nothing);
  expect([before.code, before.stderr]).toEqual([3, expect.stringContaining('weft login --url')]);

  const wrong = await one.weft(['login', '--url', one.url, '--email', adminEmail], {
    env: {},
    input: 'no such\n',
  });
  expect([wrong.code, wrong.stdout]).toEqual([3, '']);

  const args = ['login', '--url', one.url, '--email', adminEmail];
  const done = await one.weft(args, { env: {}, input: `${adminPassword}\n` });
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`as ${adminEmail} (profile default)`) as string,
  });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file())).mode & 0o777).toBe(0o700);
  expect(readFileSync(file(), 'utf8')).not.toContain(adminPassword);

  const me = await one.weft(['whoami', '--json'], nothing);
  expect(JSON.parse(me.stdout)).toMatchObject({
    email: adminEmail,
    role: 'admin',
    profile: 'default',
    credential: 'profile',
  });

  // Never to another address.
  const elsewhere = await one.weft(['whoami', '--url', 'http://127.0.0.1:9'], nothing);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    3,
    expect.stringContaining('not logged in at http://127.0.0.1:9'),
  ]);

  const { profiles } = JSON.parse(readFileSync(file(), 'utf8')) as {
    profiles: { default: { session: { token: string } } };
  };
  const { token } = profiles.default.session;
  expect((await one.weft(['logout'], nothing)).code).toBe(0);
  expect(readFileSync(file(), 'utf8')).not.toContain(token);
  expect((await one.weft(['whoami'], { env: { WEFT_URL: one.url, WEFT_TOKEN: token } })).code).toBe(3);
  expect((await one.weft(['logout'], nothing)).stdout).toContain('not logged in');
});

test('a session that is about to end is renewed, and kept', async () => {
  await one.weft(['login', '--url', one.url, '--email', adminEmail], {
    env: { WEFT_PASSWORD: adminPassword },
  });
  const stored = JSON.parse(readFileSync(file(), 'utf8')) as {
    profiles: { default: { session: { token: string; expiresAt: number } } };
  };
  const old = stored.profiles.default.session.token;
  stored.profiles.default.session.expiresAt = Date.now();
  writeFileSync(file(), JSON.stringify(stored));
  const both = await Promise.all([one.weft(['whoami'], nothing), one.weft(['workflows', 'list'], nothing)]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(readFileSync(file(), 'utf8')).not.toContain(old);
  expect((await one.weft(['whoami'], nothing)).code).toBe(0);
});

test('several profiles, and the environment before them', async () => {
  const input = `${one.key}\n`;
  const made = await one.weft(['login', '--url', one.url, '--profile', 'ci', '--api-key'], {
    env: {},
    input,
  });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('(profile ci)') as string });
  const { profiles } = JSON.parse((await one.weft(['profiles', 'list', '--json'], nothing)).stdout) as {
    profiles: { name: string; credential: string; current: boolean }[];
  };
  expect(profiles.find(({ name }) => name === 'ci')).toMatchObject({ credential: 'api_key', current: true });
  expect((await one.weft(['profiles', 'use', 'nope'], nothing)).stderr).toContain('there are: ');
  expect((await one.weft(['profiles', 'use', 'default'], nothing)).code).toBe(0);
  // One that is not there is no way to the default address.
  for (const [args, env] of [
    [['health', '--profile', 'nope'], {}],
    [['health', '--profile', 'nope', '--url', one.url], {}],
    [['logout'], { WEFT_PROFILE: 'nope' }],
    [['workflows', 'list', '--profile', 'nope'], { WEFT_API_KEY: one.key, WEFT_URL: one.url }],
  ] as [string[], Record<string, string>][]) {
    const refused = await one.weft(args, { env });
    expect([refused.code, refused.stderr], args.join(' ')).toEqual([
      2,
      'weft: There is no profile nope; there are: default, ci.\n',
    ]);
  }
  const chosen = await one.weft(['whoami', '--json'], { env: { WEFT_PROFILE: 'ci' } });
  expect(JSON.parse(chosen.stdout)).toMatchObject({ profile: 'ci' });
  const given = await one.weft(['whoami', '--json'], { env: { WEFT_API_KEY: one.key, WEFT_URL: one.url } });
  expect(JSON.parse(given.stdout)).toMatchObject({ credential: 'WEFT_API_KEY' });
  const wrong = await one.weft(['whoami', '--json'], {
    env: { WEFT_API_KEY: 'weft_wrong', WEFT_URL: one.url },
  });
  expect(wrong.code).toBe(3);
  expect(JSON.parse(wrong.stderr)).toMatchObject({ error: { code: 'UNAUTHORIZED', status: 401 } });
});

test('prompts on a terminal, and a password is not echoed', async () => {
  const typed = { env: { WEFT_URL: one.url }, isTyped: true };
  const input = `${adminEmail}\n${adminPassword}\n`;
  const done = await one.weft(['login', '--profile', 'typed'], { ...typed, input });
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(done.stderr).toContain('Email: ');
  expect(done.stderr).toContain('Password: ');
  expect(done.stderr + done.stdout).not.toContain(adminPassword);
  const { id } = await one.client.workflows.create({ name: 'Asked' });
  const env = { WEFT_URL: one.url, WEFT_API_KEY: one.key };
  const no = await one.weft(['workflows', 'delete', id], { env, isTyped: true, input: 'n\n' });
  expect([no.code, no.stderr]).toEqual([1, expect.stringContaining('Delete Asked')]);
  const yes = await one.weft(['workflows', 'delete', id], { env, isTyped: true, input: 'y\n' });
  expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining('Deleted Asked')]);
});

test('unusable input is reported', async () => {
  expect((await one.weft(['login', '--url', one.url], { env: {}, input: 'x\n' })).stderr).toContain(
    '--email is required',
  );
  expect(await one.weft(['health', '--url', 'nowhere'], nothing)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not the URL of a service') as string,
  });
  writeFileSync(file(), '{');
  expect(await one.weft(['whoami'], nothing)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('log in again') as string,
  });
});
