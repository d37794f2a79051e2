import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeAll, createTestEgressClient } from '../../../test/support/egress-client.ts';
import { packFixture } from '../../../test/support/packs/npm-pack.ts';
import { openRegistry } from '../../../test/support/servers/npm-registry.ts';
import { fetchPublishedArchive } from './npm-registry.ts';

const name = '@weft/piece-demo';
const version = '1.0.0';
let registry: Awaited<ReturnType<typeof openRegistry>>;
beforeEach(async () => {
  registry = await openRegistry();
});
afterEach(async () => {
  await closeAll();
  registry.close();
});

const fetchArchive = (integrity: string | null) =>
  fetchPublishedArchive(
    createTestEgressClient('127.0.0.1'),
    registry.url,
    { name, version, integrity },
    AbortSignal.timeout(30_000),
  );

test('a registry without keys requires the integrity, which is checked', async () => {
  const bytes = packFixture('demo', version);
  const { integrity } = registry.publishSigned(name, version, bytes);
  await expect(fetchArchive(null)).rejects.toMatchObject({
    field: 'integrity',
    message: expect.stringContaining('is required: the registry publishes no keys') as string,
  });
  const fetched = await fetchArchive(integrity);
  expect([fetched.integrity, fetched.signedBy]).toEqual([integrity, null]);
  expect(Buffer.from(fetched.archive).equals(bytes)).toBe(true);
  await expect(fetchArchive(`sha512-${'A'.repeat(86)}==`)).rejects.toMatchObject({ field: 'integrity' });
  const changed = Buffer.from(bytes);
  changed[changed.length - 20]! ^= 1;
  registry.replaceArchive(name, version, changed);
  await expect(fetchArchive(integrity)).rejects.toMatchObject({ field: 'package' });
});
