import { expect, test } from 'vitest';
import { packFixture } from '../support/packs/npm-pack.ts';
import { adminEmail, adminPassword } from '../support/service.ts';
import { startArtifactService } from './artifact.ts';
import { AuditedOperations } from './audited-operations.ts';
import { DocumentedApi, isPackApp } from './documented-api.ts';

/** The operations of the apps of packs against the built program without its sources. */
const service = startArtifactService({ WEFT_WEBHOOK_URL: 'https://hooks.example.com' });

test('the app of a pack', async () => {
  const api = await DocumentedApi.open(service.weft.url);
  const body = { email: adminEmail, password: adminPassword };
  const login = await api.call<{ token: string }>('login', { body });
  api.authorization = `Bearer ${login.body.token}`;
  const audited = await AuditedOperations.watch(api, service.weft.url);
  const params = { name: 'demo' };
  await api.call('installPack', { body: { archive: packFixture('demo').toString('base64') } });
  await api.call('putPackApp', { params, body: { signing_secret: 'ws-83a1c0de7f' } });
  const app = await api.call<{ url: string }>('getPackApp', { params });
  expect(app.body.url).toMatch(/^https:\/\/hooks\.example\.com\/.*\/pack-webhooks\//);
  await api.call('deletePackApp', { params });
  expect(audited.findMissing(api.changes(isPackApp))).toEqual([]);
  expect(api.unseen(isPackApp)).toEqual([]);
});
