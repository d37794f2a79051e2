import type { AuditStore } from './store/audit.ts';
import type { ConnectionStore } from './store/connections.ts';
import type { CustomNodeStore } from './store/custom-nodes.ts';
import type { DecisionMessageStore } from './store/decisions.ts';
import type { DecisionStore } from './store/decisions.ts';
import type { ExecutionStore } from './store/executions.ts';
import type { FileRows } from './store/files.ts';
import type { OAuthStore } from './store/accounts/oauth.ts';
import type { PackStore } from './store/packs.ts';
import type { AccountStore } from './store/accounts/accounts.ts';
import type { PackAppStore, PackTriggerStore } from './store/pack-triggers.ts';
import type { PollStore } from './store/polling.ts';
import type { StatisticsStore } from './store/statistics.ts';
import type { UsageStore } from './store/ai/model-usage.ts';
import type { ProcessStore } from './store/processes.ts';
import type { TemplateStore } from './store/templates.ts';
import type { ThreadStore } from './store/ai/threads.ts';
import type { VectorStore } from './store/ai/vectors.ts';
import type { ThrottlingStore } from './store/accounts/rate-limits.ts';
import type { StoreMaintenance } from './store/maintenance.ts';
import type { PinnedOutputStore } from './store/pinned-outputs.ts';
import type { WorkflowStore } from './store/workflows.ts';

/**
 * The persistence interface, in domain operations. Every method is one transaction, and is on disk when it
 * resolves. Every method that loads by id also takes the owner: another user's resource is indistinguishable
 * from a missing one (null). Methods throw WeftError STORAGE_FULL when the disk is full; any other Error is a
 * failure of the store. All times are ms since the epoch.
 */
export type Store = {
  executions: ExecutionStore;
  workflows: WorkflowStore;
  pinnedOutputs: PinnedOutputStore;
  accounts: AccountStore;
  oauth: OAuthStore;
  connections: ConnectionStore;
  files: FileRows;
  throttling: ThrottlingStore;
  polls: PollStore;
  packTriggers: PackTriggerStore;
  packApps: PackAppStore;
  templates: TemplateStore;
  customNodes: CustomNodeStore;
  packs: PackStore;
  decisions: DecisionStore;
  threads: ThreadStore;
  vectors: VectorStore;
  decisionMessages: DecisionMessageStore;
  audit: AuditStore;
  processes: ProcessStore;
  statistics: StatisticsStore;
  usage: UsageStore;
  maintenance: StoreMaintenance;
  close(): Promise<void>;
};
