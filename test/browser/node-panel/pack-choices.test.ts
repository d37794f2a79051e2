import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packFixture } from '../../support/packs/npm-pack.ts';
import { startProjectsService, type ProjectsService } from '../../support/packs/projects-service.ts';
import { createTempFolder } from '../../support/service.ts';
import { loopbackCertificate } from '../../support/servers/tls-certificates.ts';
import { listFindingsInBothThemes } from '../support/axe.ts';
import { createSignedInApi, type Api } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { selectNode, openEditor, type TestEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

describe.skipIf(isChromiumMissing)('the fields of a pack that are loaded', () => {
  const folder = createTempFolder();
  let editor: TestEditor;
  let fake: ProjectsService;
  let call: Api;
  let page: Page;
  let pageErrors: string[];
  let workflow: string;

  beforeAll(async () => {
    const authority = path.join(folder.path, 'authority.pem');
    writeFileSync(authority, loopbackCertificate);
    fake = await startProjectsService();
    editor = await openEditor({ WEFT_ALLOWED_HOSTS: fake.address, NODE_EXTRA_CA_CERTS: authority });
    call = await createSignedInApi(editor.origin);
    await call('POST', '/packs', { archive: packFixture('demo').toString('base64') });
    await call('POST', '/connections', {
      name: 'demo',
      grant_type: 'fields',
      hosts: ['127.0.0.1'],
      authentication: { type: 'bearer' },
      fields: { token: 'secret-of-connection' },
    });
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', position: { x: 0, y: 0 }, config: { triggerType: 'manual' } },
        {
          id: 'choose',
          type: 'npm.demo',
          position: { x: 320, y: 0 },
          config: {
            operation: 'choose',
            address: fake.address,
            project: '',
            authentication: { type: 'connection', connection: '' },
          },
        },
      ],
      connections: [{ from: 'start', to: 'choose' }],
    };
    workflow = (await call('POST', '/workflows', { name: 'Launch', definition }))['id'] as string;
    ({ page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 1000 } }));
    await signIn(page, editor.origin, `/workflows/${workflow}`);
    await selectNode(page, 'choose');
  });
  afterAll(async () => {
    await editor?.close();
    fake?.close();
    folder.remove();
  });

  const panel = () => page.locator('#node-panel');
  const project = () => panel().getByLabel('Project', { exact: true });
  const members = () => panel().getByLabel('Members (optional)', { exact: true });
  const readConfig = async (): Promise<Record<string, unknown>> => {
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const stored = (await call('GET', `/workflows/${workflow}`)) as unknown as {
      definition: { nodes: { id: string; config: Record<string, unknown> }[] };
    };
    return stored.definition.nodes.find(({ id }) => id === 'choose')!.config;
  };

  test('nothing is loaded before an account is chosen', async () => {
    await panel().getByText('Choices load once an account is chosen.').first().waitFor();
    await project().click();
    await page.getByText('Choose an account to load the choices, or enter a value.').waitFor();
    await page.keyboard.press('Escape');
    expect(fake.received).toEqual([]);
    await saveShot(page, 'pack-choices-no-account');
  });

  test('a choice is found by keyboard, and the fields that depend on it are loaded', async () => {
    await saveShot(page, 'pack-choices-before');
    await panel().getByLabel('Connection', { exact: true }).click();
    await page.getByRole('menuitem', { name: /demo/ }).click();
    await project().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Apollo' }).waitFor();
    await saveShot(page, 'pack-choices-open');
    await page.keyboard.type('apo');
    await expect
      .poll(() => page.getByRole('listbox').getByRole('option').allTextContents())
      .toEqual([expect.stringContaining('Apollo') as string, expect.stringContaining('“apo”') as string]);
    await page.keyboard.press('Enter');
    await expect.poll(() => project().textContent()).toContain('Apollo');
    expect(fake.received.at(0)?.authorization).toBe('Bearer secret-of-connection');
    await panel().getByLabel('Crew size', { exact: true }).fill('3');
    await panel().getByLabel('Stage (optional)').selectOption('orbit');
    await members().click();
    await page.getByRole('option', { name: 'Ann of p-1' }).click();
    await members().click();
    await page.getByRole('option', { name: 'Bob of p-1' }).click();
    await panel().getByRole('listitem').filter({ hasText: 'Bob of p-1' }).waitFor();
    await saveShot(page, 'pack-choices-form');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    expect(await readConfig()).toMatchObject({
      project: 'p-1',
      members: [{ user: 'Ann of p-1' }, { user: 'Bob of p-1' }],
      details: { 'crew size': 3, stage: 'orbit' },
    });
  });

  test('another choice loads other fields, and values of the former ones are shown', async () => {
    await project().click();
    await page.getByRole('option', { name: 'Gemini' }).click();
    await panel().getByLabel('Docking (optional)').fill('soft');
    await panel().getByText('Unknown field stage').waitFor();
    await panel().getByLabel('Crew size', { exact: true }).waitFor({ state: 'detached' });
    await saveShot(page, 'pack-choices-changed');
    await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
    await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
    expect((await readConfig())['details']).toEqual({ docking: 'soft' });
  });

  test('an error is shown in the words of the service, and the load can be repeated', async () => {
    fake.answer = (response) => response.writeHead(403).end('{"message": "The token was revoked"}');
    await panel().getByRole('button', { name: 'Reload Project' }).click();
    await panel().getByText('project could not be loaded: The token was revoked').waitFor();
    await saveShot(page, 'pack-choices-error');
    expect(await listFindingsInBothThemes(page)).toEqual([]);
    fake.answer = null;
    await panel().getByRole('button', { name: 'Try again' }).click();
    await panel().getByText('The token was revoked').waitFor({ state: 'detached' });
  });

  test('a value or a template can be given instead', async () => {
    await project().click();
    await page.keyboard.type('p-77');
    await page.getByRole('option', { name: 'Use “p-77”' }).click();
    expect((await readConfig())['project']).toBe('p-77');
    await panel()
      .locator('[data-field="config.project"]')
      .getByRole('button', { name: 'Use template' })
      .click();
    await panel().getByText('Choices cannot be loaded while project is a template.').first().waitFor();
    expect((await readConfig())['project']).toBe('{{ input }}');
    expect(pageErrors).toEqual([]);
  });

  test('an account is connected with the parameters that the pack states', async () => {
    await page.keyboard.press('Escape');
    await panel().getByLabel('Authentication', { exact: true }).first().selectOption({ label: 'OAuth 2.0' });
    await panel().getByText('Choose a connection').click();
    await page.getByRole('menuitem', { name: 'Connect an account…' }).click();
    const form = page.getByRole('dialog', { name: 'Connect an account' });
    await expect.poll(() => form.getByLabel(/^Scopes/).inputValue()).toBe('items:read items:write');
    await form.getByLabel('Name').fill('demo_account');
    await form.getByLabel('Client ID').fill('client-17');
    await form.getByLabel(/Client secret/).fill('secret-of-client');
    // The browser goes to the authorization URL, which does not exist. It forgets the response then, so the
    // service is asked.
    await page.route('https://auth.example.com/**', (route) => route.abort());
    await form.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect
      .poll(() => call('GET', '/connections/demo_account').catch(() => null))
      .toMatchObject({
        scopes: ['items:read', 'items:write'],
        authorization_params: { audience: 'demo', prompt: 'consent' },
        pkce: true,
      });
  });
});
