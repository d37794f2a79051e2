import { expect, test } from 'vitest';
import type { WebhookRoute } from '../../src/ports/store/active-triggers.ts';
import { WebhookRegistry } from '../../src/services/webhooks/webhook-registry.ts';

const route = (workflowId: string, endpoint: string): WebhookRoute => ({
  workflowId,
  nodeId: 'hook',
  ownerId: 'usr_1',
  version: 1,
  method: 'POST',
  endpoint,
  shape: endpoint,
});

test.each(['orders', 'orders/:id'])(
  '%s moves to another workflow, in any order of reading',
  async (endpoint) => {
    const path = endpoint.replace(':id', '7');
    for (const isNewFirst of [true, false]) {
      let rows = [route('wf_old', endpoint)];
      const workflows = { listWebhooks: () => Promise.resolve(rows) };
      const registry = new WebhookRegistry(
        workflows as never,
        () => true,
        () => ({}),
      );
      await registry.open();
      rows = [route('wf_new', endpoint), route('wf_old', 'former')];
      if (!isNewFirst) rows.reverse();
      await registry.open();
      expect(registry.find('POST', path)?.value.route.workflowId).toBe('wf_new');
      registry.change('wf_new', null);
      expect(registry.find('POST', path)).toBeNull();
      expect(registry.find('POST', 'former')?.value.route.workflowId).toBe('wf_old');
    }
  },
);
