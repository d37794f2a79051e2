import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { auditSuite } from './audit.ts';
import { batchReadsSuite } from './batch-reads.ts';
import { checkpointsSuite, snapshotsSuite } from './checkpoints.ts';
import { claimsSuite } from './claims.ts';
import { connectionsSuite } from './connections.ts';
import { customNodesSuite } from './custom-nodes.ts';
import { decisionsSuite } from './decisions.ts';
import { threadsSuite } from './ai/threads.ts';
import { vectorsSuite } from './ai/vectors.ts';
import { deletedWorkflowsSuite } from './deleted-workflows.ts';
import { executionsSuite } from './executions.ts';
import { executionSearchSuite } from './execution-search.ts';
import { completionTriggersSuite } from './completion-triggers.ts';
import { lifeSuite } from './execution-lifecycle.ts';
import { oauthSuite } from './oauth.ts';
import { packsSuite } from './packs.ts';
import { peopleSuite } from './accounts.ts';
import { packTriggersSuite } from './pack-triggers.ts';
import { pollsSuite } from './polling.ts';
import { processesSuite } from './processes.ts';
import type { OpenStore, StoreUnderTest } from './samples.ts';
import { statisticsSuite } from './statistics.ts';
import { usageSuite } from './ai/model-usage.ts';
import { throttlingSuite } from './rate-limits.ts';
import { templatesSuite } from './templates.ts';
import { workflowsSuite } from './workflows.ts';

/**
 * The conformance suite of stores. `open` returns an empty store; a database is supported when the suite
 * passes on it.
 */
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
    describe('snapshots', () => snapshotsSuite(store));
    describe('claims', () => claimsSuite(store));
    describe('executions', () => executionsSuite(store));
    describe('execution search', () => executionSearchSuite(store));
    describe('workflows', () => workflowsSuite(store));
    describe('deleted workflows', () => deletedWorkflowsSuite(store));
    describe('completion triggers', () => completionTriggersSuite(() => tested));
    describe('polling', () => pollsSuite(() => tested));
    describe('triggers of packs', () => packTriggersSuite(() => tested));
    describe('batch reads', () => batchReadsSuite(store));
    describe('accounts', () => peopleSuite(store));
    describe('rate limits', () => throttlingSuite(store));
    describe('templates', () => templatesSuite(() => tested));
    describe('custom nodes', () => customNodesSuite(() => tested));
    describe('packs', () => packsSuite(() => tested));
    describe('decisions', () => decisionsSuite(store));
    describe('threads', () => threadsSuite(store));
    describe('vectors', () => vectorsSuite(store));
    describe('audit log', () => auditSuite(store));
    describe('processes', () => processesSuite(store));
    describe('statistics', () => statisticsSuite(() => tested));
    describe('usage', () => usageSuite(() => tested));
    describe('connections', () => connectionsSuite(() => tested));
    describe('OAuth', () => oauthSuite(store));
    describe('lifecycle of executions', () => lifeSuite(() => tested));
  });
}
