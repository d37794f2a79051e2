import { caller, adminEmail, adminPassword, waitUntil, type Call } from '../support/service.ts';
import type { DocumentedApi } from './documented-api.ts';

/** Operations that change something and write no audit event, with the reason. */
const unaudited: Readonly<Record<string, string>> = {
  refreshSession: 'continues a session',
  refreshCookieSession: 'continues a session',
  authorizeConnection: 'the event is written when the provider redirects back',
  refreshConnection: 'renews a token, as the service does before a token expires',
  testConnection: 'calls the provider',
  listenToWebhook: 'opens a test address for minutes',
  stopListeningToWebhook: 'closes it',
  executeWorkflow: 'an execution has its own record',
  stopExecution: 'an execution has its own record',
  retryExecution: 'an execution has its own record',
  resumeExecution: 'an execution has its own record',
  callWebhook: 'an execution has its own record',
  callWebhookOfWorkflow: 'an execution has its own record',
  callTestAddress: 'an execution has its own record',
  evaluateTemplate: 'changes nothing',
  testNode: 'changes nothing',
  listPackChoices: 'changes nothing',
  listMcpTools: 'changes nothing',
  listProviderModels: 'changes nothing',
  graphql: 'its operations call the same services',
  graphqlByGet: 'its operations call the same services',
  oauthRevoke: 'a client gives its own token back',
  oauthIntrospect: 'changes nothing',
};

/** Records which audit events each operation of the REST API writes. */
export class AuditedOperations {
  readonly actions = new Map<string, Set<string>>();
  readonly #call: Call;
  #newest: string | null = null;

  private constructor(call: Call) {
    this.#call = call;
  }

  /** Watches every call of `api` that may change something. */
  static async watch(api: DocumentedApi, url: string): Promise<AuditedOperations> {
    const body = { email: adminEmail, password: adminPassword };
    const login = await caller(url)('POST', '/auth/login', { body });
    const { token } = login.body as { token: string };
    const session = caller(url, { authorization: `Bearer ${token}` });
    const key = await session('POST', '/api-keys', { body: { name: 'auditor', scopes: ['audit:read'] } });
    const watch = new AuditedOperations(caller(url, { 'x-api-key': (key.body as { key: string }).key }));
    await watch.#read();
    api.afterChange = (operation) => watch.#note(operation);
    return watch;
  }

  /** The operations that changed something without an event. */
  findMissing(operations: readonly string[]): string[] {
    return operations.filter((name) => !this.actions.has(name) && !(name in unaudited));
  }

  async #note(operation: string): Promise<void> {
    if (operation in unaudited) return;
    const isWritten = (found: unknown[]): boolean => found.length > 0;
    // The event of a client that registers itself is written after its response.
    const events =
      operation === 'oauthRegister' ? await waitUntil(() => this.#read(), isWritten) : await this.#read();
    if (events.length === 0) return;
    const actions = this.actions.get(operation) ?? new Set();
    for (const { action } of events) actions.add(action);
    this.actions.set(operation, actions);
  }

  async #read(): Promise<{ id: string; action: string }[]> {
    const { body } = await this.#call('GET', '/audit-events?limit=20');
    const { audit_events: events } = body as { audit_events: { id: string; action: string }[] };
    const before = this.#newest;
    this.#newest = events[0]?.id ?? null;
    return events.filter(({ id }) => before !== null && id > before);
  }
}
