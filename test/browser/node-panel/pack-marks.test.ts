import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import services from '../../../web/src/connectors/service-marks.json' with { type: 'json' };
import providers from '../../../web/src/credentials/provider-marks.json' with { type: 'json' };
import { buildArchive } from '../../support/servers/npm-registry.ts';
import { createSignedInApi } from '../support/caller.ts';
import { isChromiumMissing } from '../support/chromium.ts';
import { openEditor } from '../support/editor.ts';
import { saveShot } from '../support/shots.ts';
import { signIn } from '../support/sign-in.ts';

function readPackage(name: string): string {
  const folder = new URL(`../../../node_modules/@activepieces/piece-${name}/`, import.meta.url);
  const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
  const about = JSON.parse(read('package.json')) as { name: string; version: string };
  const files = { 'src/index.js': read('src/index.js') };
  return buildArchive(about.name, about.version, files, about).toString('base64');
}

test.skipIf(isChromiumMissing)(
  'nodes of services have the mark of their service, from Weft itself',
  async () => {
    const editor = await openEditor();
    try {
      const call = await createSignedInApi(editor.origin);
      for (const name of ['woocommerce', 'notion'])
        await call('POST', '/packs', { archive: readPackage(name) });
      const document = JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'GitHub v3 REST API', version: '1.1.4' },
        servers: [{ url: 'https://api.github.com' }],
        paths: { '/meta': { get: { operationId: 'meta/get', responses: { 200: { description: 'OK' } } } } },
      });
      await call('POST', '/packs', { document });
      const types = [
        'npm.woocommerce',
        'npm.notion',
        'openapi.github_v3_rest_api',
        'mysql',
        'redis',
        'postgres',
      ];
      const nodes = types.map((type, i) => ({
        id: `n${i}`,
        type,
        position: { x: 320 * (i % 3), y: 140 * Math.floor(i / 3) },
        config: {},
      }));
      const definition = { nodes, connections: [] };
      const { id } = await call('POST', '/workflows', { name: 'Marks', definition });
      const { page, pageErrors } = await editor.browser.open({ size: { width: 1440, height: 900 } });
      const foreign: string[] = [];
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== editor.origin) foreign.push(request.url());
      });
      await signIn(page, editor.origin, `/workflows/${String(id)}`);
      const find = (path: string) =>
        page.locator(`.canvas path[d="${path}"], main path[d="${path}"]`).first();
      for (const path of [services.woocommerce, providers.notion, providers.github])
        await find(path).waitFor();
      await saveShot(page, 'pack-marks');
      expect(foreign).toEqual([]);
      expect(pageErrors).toEqual([]);
    } finally {
      await editor.close();
    }
  },
);
