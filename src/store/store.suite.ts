import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../ports/store.ts';
import { batchReadsSuite } from './suite/batch-reads.ts';
import { checkpointsSuite } from './suite/checkpoints.ts';
import { claimsSuite } from './suite/claims.ts';
import { connectionsSuite } from './suite/connections.ts';
import { customNodesSuite } from './suite/custom-nodes.ts';
import { executionsSuite } from './suite/executions.ts';
import { followersSuite } from './suite/followers.ts';
import { lifeSuite } from './suite/life.ts';
import { oauthSuite } from './suite/oauth.ts';
import { peopleSuite } from './suite/people.ts';
import { pollsSuite } from './suite/polls.ts';
import { processesSuite } from './suite/processes.ts';
import type { OpenStore, StoreUnderTest } from './suite/samples.ts';
import { throttlingSuite } from './suite/throttling.ts';
import { templatesSuite } from './suite/templates.ts';
import { workflowsSuite } from './suite/workflows.ts';

/** What every store must do. `open` gives an empty one; a database is supported when this passes on it. */
export function storeSuite(name: string, open: OpenStore): void {
  describe(`store on ${name}`, () => {
    let tested: StoreUnderTest;
    const store = (): Store => tested.store;
    beforeEach(async () => {
      tested = await open();
    });
    afterEach(async () => {
      await tested.close();
    });
    describe('checkpoints', () => checkpointsSuite(store));
    describe('claims', () => claimsSuite(store));
    describe('executions', () => executionsSuite(store));
    describe('workflows', () => workflowsSuite(store));
    describe('followers', () => followersSuite(() => tested));
    describe('polls', () => pollsSuite(() => tested));
    describe('reads of many', () => batchReadsSuite(store));
    describe('people', () => peopleSuite(store));
    describe('throttling', () => throttlingSuite(store));
    describe('templates', () => templatesSuite(() => tested));
    describe('custom nodes', () => customNodesSuite(() => tested));
    describe('processes', () => processesSuite(store));
    describe('connections', () => connectionsSuite(() => tested));
    describe('OAuth', () => oauthSuite(store));
    describe('life of the data', () => lifeSuite(() => tested));
  });
}
