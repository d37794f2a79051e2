import type { ConnectionStore } from './store/connections.ts';
import type { CustomNodeStore } from './store/custom-nodes.ts';
import type { ExecutionStore } from './store/executions.ts';
import type { FileRows } from './store/files.ts';
import type { OAuthStore } from './store/oauth.ts';
import type { PeopleStore } from './store/accounts.ts';
import type { PollStore } from './store/polling.ts';
import type { ProcessStore } from './store/processes.ts';
import type { TemplateStore } from './store/templates.ts';
import type { ThrottlingStore } from './store/rate-limits.ts';
import type { Upkeep } from './store/retention.ts';
import type { WorkflowStore } from './store/workflows.ts';

/**
 * What persistence must do, in verbs of the domain. Every verb is one transaction and is on disk when it resolves.
 * Every verb that loads by id takes the owner too: another user's thing answers exactly as a missing one (null).
 * Verbs throw WeftError STORAGE_FULL when the disk is full; any other Error is a fault of the store.
 * All times are ms since the epoch.
 */
export type Store = {
  executions: ExecutionStore;
  workflows: WorkflowStore;
  people: PeopleStore;
  oauth: OAuthStore;
  connections: ConnectionStore;
  files: FileRows;
  throttling: ThrottlingStore;
  polls: PollStore;
  templates: TemplateStore;
  customNodes: CustomNodeStore;
  processes: ProcessStore;
  upkeep: Upkeep;
  close(): Promise<void>;
};
