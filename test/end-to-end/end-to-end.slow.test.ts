import { createHmac } from 'node:crypto';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, isChromiumMissing, type TestBrowser } from '../browser/support/chromium.ts';
import { buildEditor, createBuiltService } from '../browser/support/editor.ts';
import { openPage, signInByForm } from '../browser/support/sign-in.ts';
import {
  adminEmail,
  adminPassword,
  runWeft,
  spawnService,
  createTempFolder,
  type SpawnedService,
} from '../support/service.ts';
import { openTlsProxy, type ProxiedResponse } from './tls-proxy.ts';

type Json = Record<string, unknown>;

const person = { email: 'ines@example.com', password: 'a long enough password' };
/** One hour of work in the editor. */
const HOUR = { edits: 60, runs: 20, looks: 10 };
const MAX_REQUESTS = 300;

const pdf = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n\u00ff',
  'latin1',
);

const hook = (endpoint: string, config: Json = {}) => ({
  id: 'hook',
  type: 'trigger',
  position: { x: 0, y: 0 },
  config: { triggerType: 'webhook', endpoint, authentication: 'none', respond: 'on_completion', ...config },
});
const shape = (fields: Json) => ({
  id: 'shape',
  type: 'set',
  position: { x: 320, y: 0 },
  config: { fields },
});
const wire = [{ from: 'hook', to: 'shape' }];

describe.skipIf(isChromiumMissing)('a day of a user, behind a TLS proxy', () => {
  const folder = createTempFolder();
  const backups = createTempFolder();
  const second = createTempFolder();
  let proxy: Awaited<ReturnType<typeof openTlsProxy>>;
  let service: SpawnedService;
  let browser: TestBrowser;
  let page: Page;
  let errors: string[];
  let token = '';
  let github = '';
  let fileId = '';

  const env = (): Record<string, string> => ({
    WEFT_TRUST_PROXY: 'loopback',
    WEFT_PUBLIC_URL: proxy.origin,
  });
  const json = (reply: ProxiedResponse): Json => JSON.parse(reply.body.toString()) as Json;
  const api = async (method: string, at: string, body?: object): Promise<Json> => {
    const reply = await proxy.send(method, `/v1${at}`, {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (reply.status >= 400) throw new Error(`${method} ${at}: ${reply.status} ${reply.body.toString()}`);
    return reply.body.length === 0 ? {} : json(reply);
  };
  const login = async (who: { email: string; password: string }): Promise<void> => {
    token = String((await api('POST', '/auth/login', who))['token']);
  };
  const make = async (name: string, nodes: object[]): Promise<string> =>
    String(
      (await api('POST', '/workflows', { name, status: 'active', definition: { nodes, connections: wire } }))[
        'id'
      ],
    );
  const deliver = (title: string): Promise<ProxiedResponse> => {
    const body = JSON.stringify({
      action: 'opened',
      issue: { number: 1347, title },
      repository: { full_name: 'octocat/Hello-World' },
    });
    return proxy.send('POST', '/v1/webhooks/github', {
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/044aadd',
        'x-github-event': 'issues',
        'x-hub-signature-256': `sha256=${createHmac('sha256', 'shared with GitHub').update(body).digest('hex')}`,
      },
    });
  };
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const saved = async (): Promise<void> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
  };
  const setTitle = async (text: string): Promise<void> => {
    await page.getByLabel('Value of title').fill(text);
    await saved();
  };

  beforeAll(async () => {
    await buildEditor();
    proxy = await openTlsProxy();
    [service, browser] = await Promise.all([
      spawnService({ dataDir: folder.path, ...createBuiltService(env()) }),
      openBrowser(),
    ]);
    proxy.aim(getPort(service));
    await login({ email: adminEmail, password: adminPassword });
    await api('POST', '/users', { ...person, plan: 'standard' });
    await login(person);
    await api('PUT', '/secrets/GITHUB', { value: 'shared with GitHub' });
    await api('PUT', '/secrets/STRIPE', { value: 'whsec_test_secret' });
    ({ page, pageErrors: errors } = await browser.open({ isSelfSigned: true }));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await proxy?.close();
    for (const each of [folder, backups, second]) each.remove();
  });

  test('deliveries of GitHub and Stripe are verified, and a PDF arrives unchanged', async () => {
    github = await make('Issues', [
      hook('github', { authentication: 'hmac', scheme: 'github', secret: 'GITHUB' }),
      shape({ title: '{{ input.body.issue.title }}' }),
    ]);
    await make('Payments', [
      hook('stripe', { authentication: 'hmac', scheme: 'stripe', secret: 'STRIPE' }),
      shape({ kind: '{{ input.body.type }}' }),
    ]);
    await make('Papers', [hook('papers'), shape({ file: '{{ input.body }}' })]);

    const issue = await deliver('Found a bug');
    expect([issue.status, json(issue)['title']]).toEqual([200, 'Found a bug']);
    const forged = await proxy.send('POST', '/v1/webhooks/github', {
      body: '{}',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    });
    expect(forged.status).toBe(401);

    const event = '{ "id": "evt_1", "object": "event", "type": "invoice.paid" }';
    const time = Math.floor(Date.now() / 1_000);
    const v1 = createHmac('sha256', 'whsec_test_secret').update(`${time}.${event}`).digest('hex');
    const payment = await proxy.send('POST', '/v1/webhooks/stripe', {
      body: event,
      headers: { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${v1}` },
    });
    expect([payment.status, json(payment)['kind']]).toEqual([200, 'invoice.paid']);

    const paper = await proxy.send('POST', '/v1/webhooks/papers', {
      body: pdf,
      headers: { 'content-type': 'application/pdf' },
    });
    expect(paper.status, paper.body.toString()).toBe(200);
    fileId = (json(paper) as { file: { $file: { id: string } } }).file.$file.id;
    const stored = await proxy.send('GET', `/v1/files/${fileId}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(stored.body.equals(pdf)).toBe(true);
  });

  test('an active workflow is edited, fails, is diagnosed, fixed and run again', async () => {
    await signInByForm(page, proxy.origin, person);
    expect(await page.context().cookies()).toMatchObject([
      { name: '__Host-weft_session', secure: true, httpOnly: true, sameSite: 'Lax', path: '/' },
    ]);
    await page.goto(`${proxy.origin}/workflows/${github}`);
    await node('shape').click();
    await setTitle('New: {{ input.body.issue.title }}');
    // A saved change is not active before it is published.
    expect(json(await deliver('Before'))['title']).toBe('Before');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect.poll(async () => json(await deliver('After'))['title']).toBe('New: After');

    await setTitle('New: {{ input.body.pull_request.title }}');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect.poll(async () => (await deliver('Lost')).status).toBeGreaterThanOrEqual(400);

    await page.goto(`${proxy.origin}/executions?status=failed`);
    await page.locator('.table__main').first().click();
    await page.getByRole('button', { name: 'Show Shape' }).click();
    const panel = page.locator('#node-panel');
    await panel
      .getByText(/pull_request/)
      .first()
      .waitFor();
    await panel.getByRole('region', { name: 'Input' }).getByRole('radio', { name: 'JSON' }).click();
    await panel.getByText('"title": "Lost"').first().waitFor();
    const failed = page.url();

    await page.getByRole('link', { name: 'Edit workflow' }).click();
    await node('shape').click();
    await setTitle('New: {{ input.body.issue.title }}');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect.poll(async () => json(await deliver('Again'))['title']).toBe('New: Again');

    await openPage(page, new URL(failed).pathname);
    await page.getByRole('button', { name: 'Retry…' }).click();
    await page.getByRole('dialog').getByLabel('Workflow version', { exact: true }).selectOption('current');
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
    await page.waitForURL((url) => url.href !== failed);
    await page.getByText('completed', { exact: true }).first().waitFor();
    await page.locator('.timeline__row', { hasText: 'shape' }).click();
    await page.getByText('"New: Lost"').first().waitFor();
    expect(errors).toEqual([]);
  });

  test('an hour of ordinary editing stays below the rate limit of a standard user', async () => {
    const during = async (work: () => Promise<void>): Promise<number> => {
      const before = proxy.count();
      await work();
      // Delayed requests count too. The longest delay is that of the preview below a field.
      for (let known = -1; known !== proxy.count();) {
        known = proxy.count();
        await page.waitForTimeout(800);
      }
      return proxy.count() - before;
    };
    const open = await during(async () => {
      await page.goto(`${proxy.origin}/workflows/${github}`);
      await node('shape').click();
    });
    const edits = 4;
    const editing = await during(async () => {
      for (let i = 0; i < edits; i++) {
        await node('hook').click();
        await node('shape').click();
        await page.getByLabel('Value of title').fill(`${i}: {{ input.body.issue.title | upcase }}`);
        await page.locator('.preview__value', { hasText: `${i}: ` }).waitFor();
        await saved();
      }
    });
    const runs = 2;
    const running = await during(async () => {
      for (let i = 0; i < runs; i++) {
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        // The first run of a webhook's workflow asks for the input, and offers the last request.
        const dialog = page.getByRole('dialog', { name: 'Run with input' });
        if (i === 0) await dialog.getByRole('button', { name: 'Run', exact: true }).click();
        await page
          .getByRole('region', { name: 'Run', exact: true })
          .getByText('completed', { exact: true })
          .first()
          .waitFor();
        await page.getByRole('tab', { name: /^Output/ }).click();
        await page.getByRole('tab', { name: 'Settings' }).click();
      }
    });
    const looking = await during(async () => {
      await page.getByRole('link', { name: 'Executions' }).first().click();
      await page.locator('.table__main').first().click();
      await page.locator('.timeline__row').first().waitFor();
    });
    const hour = open + (editing / edits) * HOUR.edits + (running / runs) * HOUR.runs + looking * HOUR.looks;
    console.log(
      `requests: open ${open}, ${edits} edits ${editing}, ${runs} runs ${running}, a look ${looking}; an hour ${hour}`,
    );
    expect(hour).toBeLessThan(MAX_REQUESTS);
  });

  test('a backup is complete in a second folder', async () => {
    const target = path.join(backups.path, 'today');
    const backup = await runWeft(['backup', target], { WEFT_DATA_DIR: folder.path });
    expect(backup.code, backup.stderr).toBe(0);
    const restored = await runWeft(['restore', target], { WEFT_DATA_DIR: second.path });
    expect(restored.code, restored.stderr).toBe(0);
    await service.stop();
    service = await spawnService({ dataDir: second.path, ...createBuiltService(env()) });
    proxy.aim(getPort(service));
    await login(person);
    expect(json(await deliver('Restored'))['title']).toBe('New: Restored');
    const stored = await proxy.send('GET', `/v1/files/${fileId}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(stored.body.equals(pdf)).toBe(true);
  });
});

/** The address on which the process listens. It prints the public URL. */
function getPort(service: SpawnedService): number {
  return Number(new URL(service.url).port);
}
