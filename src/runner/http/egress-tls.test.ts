import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  closeAll,
  expectFailure,
  createTestEgressClient,
  get,
  neverAborted,
} from '../../../test/support/egress-client.ts';
import { testCertificate, testKey } from '../../../test/support/servers/tls-certificates.ts';

describe('https', () => {
  const names: (string | false)[] = [];
  const hosts: (string | undefined)[] = [];
  const listener = createServer({ cert: testCertificate, key: testKey }, (q, r) => {
    hosts.push(q.headers.host);
    r.end('secure');
  });
  listener.on('secureConnection', (socket) =>
    names.push((socket as { servername?: string }).servername ?? false),
  );
  let port = 0;
  const usual = getCACertificates('default');
  beforeAll(async () => {
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    ({ port } = listener.address() as AddressInfo);
  });
  afterEach(closeAll);
  afterAll(async () => {
    setDefaultCACertificates(usual);
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
  });
  const egress = () =>
    createTestEgressClient('127.0.0.1', () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]));

  it('refuses an untrusted certificate before it sends anything', async () => {
    const failure = await expectFailure(egress().send(get(`https://weft.test:${port}/`), neverAborted));
    expect(failure.type).toBe('network');
    expect(failure.message).toMatch(/could not be reached securely/);
    expect(hosts).toEqual([]);
  });

  it('connects to the checked address with the name in SNI, Host and the check of the certificate', async () => {
    setDefaultCACertificates([...usual, testCertificate]);
    const response = await egress().send(get(`https://weft.test:${port}/`), neverAborted);
    expect(Buffer.from(response.body).toString()).toBe('secure');
    expect(names.at(-1)).toBe('weft.test');
    expect(hosts.at(-1)).toBe(`weft.test:${port}`);
    for (const host of ['wrong.test', '127.0.0.1']) {
      const failure = await expectFailure(egress().send(get(`https://${host}:${port}/`), neverAborted));
      expect([failure.type, failure.message]).toEqual(['network', expect.stringMatching(/securely/)]);
    }
    expect(hosts).toHaveLength(1);
  });
});
