import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findWeftProgram } from '../support/program.ts';
import { spawnService, createTempFolder } from '../support/service.ts';

/* A service without connectors pays nothing for them: neither memory nor time at the start. */

/** Texts that occur only in the code that a connector loads on demand. */
const CONNECTORS = {
  'the process of packs': 'createListeners',
  'the catalog of providers': '23andme',
  'the MCP client': 'StreamableHTTPClientTransport',
  'the driver of MySQL': 'mysql_native_password',
  'the client of mailboxes': 'UIDVALIDITY',
  'the reader of documents': 'PDFWorker',
};

/** Writes the path of each module that the process loads. */
const RECORDER = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.TEST_MODULES, url.slice('file://'.length) + '\\n');
    return next(url, context);
  },
});
`;

test('a start without connectors loads none of their code, and starts no other process', async () => {
  const folder = createTempFolder();
  const [recorder, list] = ['recorder.mjs', 'modules.txt'].map((name) => path.join(folder.path, name));
  writeFileSync(recorder!, RECORDER);
  const service = await spawnService({
    dataDir: path.join(folder.path, 'data'),
    env: { TEST_MODULES: list! },
    nodeArgs: ['--import', recorder!],
  });
  try {
    const call = await service.login();
    expect((await call('GET', '/nodes')).status).toBe(200);
    expect((await call('GET', '/workflows')).status).toBe(200);
    const dist = path.dirname(findWeftProgram());
    const built = readdirSync(dist).filter((name) => name.endsWith('.js'));
    const loaded = new Set(
      readFileSync(list!, 'utf8')
        .trim()
        .split('\n')
        .map((file) => path.basename(file)),
    );
    expect(loaded.size).toBeGreaterThan(10);
    for (const [connector, text] of Object.entries(CONNECTORS)) {
      const files = built.filter((name) => readFileSync(path.join(dist, name), 'utf8').includes(text));
      // Otherwise the text has changed, and the next line would prove nothing.
      expect(files, connector).not.toEqual([]);
      expect(
        files.filter((name) => loaded.has(name)),
        connector,
      ).toEqual([]);
    }
    const { pid } = service.child;
    const children = readdirSync(`/proc/${pid}/task`).map((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim(),
    );
    expect(children.filter((text) => text !== '')).toEqual([]);
  } finally {
    await service.kill9();
    folder.remove();
  }
});
