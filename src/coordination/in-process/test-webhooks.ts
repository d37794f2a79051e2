import type { TestWebhook, TestWebhooks } from '../../ports/test-webhooks.ts';

/** Test URLs in memory: a restart closes them. */
export function createInProcessTestWebhooks(now: () => number): TestWebhooks {
  /** Ordered by expiry. */
  const addresses = new Map<string, TestWebhook>();

  function removeExpired(): void {
    const time = now();
    for (const [key, { expiresAt }] of addresses) {
      if (expiresAt > time) return;
      addresses.delete(key);
    }
  }

  function put(key: string, address: TestWebhook): void {
    const later = [...addresses].filter(([, { expiresAt }]) => expiresAt > address.expiresAt);
    addresses.set(key, address);
    for (const [other, one] of later) {
      addresses.delete(other);
      addresses.set(other, one);
    }
  }

  return {
    open(key, address, most) {
      removeExpired();
      const own = [...addresses.values()].filter(({ ownerId }) => ownerId === address.ownerId);
      const [limit, full] =
        own.length >= most.ofOwner
          ? [most.ofOwner, own]
          : [most.all, addresses.size >= most.all ? [...addresses.values()] : []];
      const [first] = full;
      if (first === undefined) put(key, address);
      return Promise.resolve(first === undefined ? null : { limit, until: first.expiresAt });
    },
    find(key) {
      removeExpired();
      return Promise.resolve(addresses.get(key) ?? null);
    },
    take(key) {
      removeExpired();
      return Promise.resolve(addresses.delete(key));
    },
    close(ownerId, workflowId, nodeId) {
      removeExpired();
      const closed = [...addresses].filter(
        ([, one]) =>
          one.ownerId === ownerId &&
          one.workflowId === workflowId &&
          (nodeId === null || one.nodeId === nodeId),
      );
      for (const [key] of closed) addresses.delete(key);
      return Promise.resolve(closed.length);
    },
    putBack(key, address) {
      put(key, address);
      return Promise.resolve();
    },
  };
}
