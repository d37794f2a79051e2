import type { Definition, WorkflowSettings } from '../../contract/definition.ts';
import { createNotFoundError } from '../../contract/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { ActiveTriggers, WebhookRoute } from '../../ports/store/active-triggers.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { WebhookRegistry } from '../webhooks/webhook-registry.ts';

export type NamedEndpointsDeps = {
  workflows: Pick<WorkflowStore, 'listWebhooks' | 'get' | 'version'>;
  /** Reloads the active triggers after a possible change by another process; returns whether they changed. */
  refresh?(): Promise<boolean>;
};

/** A trigger that clients call by a name. `value` is what its configuration declares. */
export type NamedEndpoint<Value> = {
  readonly route: WebhookRoute;
  readonly settings: WorkflowSettings;
  readonly value: Value;
};

/** The triggers of active workflows whose routes have `method`. `what` names them in errors. */
export function createNamedEndpoints<Value>(
  deps: NamedEndpointsDeps,
  method: string,
  what: string,
  read: (config: JsonObject, definition: Definition) => Value,
) {
  const live = new WebhookRegistry<NamedEndpoint<Value>>(
    deps.workflows,
    (route) => route.method === method,
    (route, settings, config, definition) => ({ route, settings, value: read(config, definition) }),
  );
  /** By owner. */
  const watchers = new Map<string, Set<() => void>>();
  function notify(ownerId: string): void {
    for (const changed of watchers.get(ownerId) ?? []) changed();
  }

  return {
    /** Builds the index from the active triggers, initially or again. Nothing is found before. */
    async open(): Promise<void> {
      const before = [...watchers.keys()].map((ownerId) => [ownerId, identify(live.list(ownerId))] as const);
      await live.open();
      for (const [ownerId, endpoints] of before)
        if (identify(live.list(ownerId)) !== endpoints) notify(ownerId);
    },

    /** Replaces the active triggers of a workflow; null removes them. */
    change(workflowId: string, triggers: Pick<ActiveTriggers, 'webhooks'> | null): void {
      const before = live.listOf(workflowId);
      live.change(workflowId, triggers);
      const after = live.listOf(workflowId);
      const [first] = [...before, ...after];
      if (first !== undefined && identify(before) !== identify(after)) notify(first.route.ownerId);
    },

    /** Calls `changed` after each change of the endpoints of a user. Returns a function that ends it. */
    watch(ownerId: string, changed: () => void): () => void {
      const all = watchers.get(ownerId) ?? new Set();
      watchers.set(ownerId, all);
      const own = (): void => changed();
      all.add(own);
      return () => {
        all.delete(own);
        if (all.size === 0 && watchers.get(ownerId) === all) watchers.delete(ownerId);
      };
    },

    /** Some endpoints of a user, by name, and the name after which more follow; null if none do. */
    async list(
      ownerId: string,
      after: string,
      limit: number,
    ): Promise<{ values: Value[]; next: string | null }> {
      const nameOf = ({ route }: { route: WebhookRoute }): string => route.endpoint.slice(ownerId.length + 1);
      const rest = live
        .list(ownerId)
        .filter((endpoint) => nameOf(endpoint) > after)
        .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
      const page = rest.slice(0, limit);
      const endpoints = await Promise.all(
        page.map(async (endpoint) => endpoint.ready ?? (await live.loadEndpoint(endpoint))),
      );
      return {
        values: endpoints.flatMap((endpoint) => (endpoint === null ? [] : [endpoint.value])),
        next: rest.length > page.length ? nameOf(page.at(-1)!) : null,
      };
    },

    findCallCount: (workflowId: string) => live.findCallCount(workflowId),

    /** The endpoints of an active workflow. */
    async ofWorkflow(workflowId: string): Promise<NamedEndpoint<Value>[]> {
      let found = live.ofWorkflow(workflowId);
      if (found.length === 0 && (await deps.refresh?.()) === true) found = live.ofWorkflow(workflowId);
      const loaded = await Promise.all(found.map(async (one) => one.ready ?? (await live.loadEndpoint(one))));
      return loaded.filter((one) => one !== null);
    },

    /** @throws {WeftError} NOT_FOUND */
    async find(ownerId: string, name: string): Promise<NamedEndpoint<Value>> {
      const path = `${ownerId}/${encodeURIComponent(name)}`;
      let found = live.find(method, path);
      // Another process may just have activated it.
      if (found === null && (await deps.refresh?.()) === true) found = live.find(method, path);
      const target = found === null ? null : (found.value.ready ?? (await live.loadEndpoint(found.value)));
      if (target === null) throw createNotFoundError(what);
      return target;
    },
  };
}

/** Equal for endpoints of the same versions of workflows. */
function identify(endpoints: readonly { readonly route: WebhookRoute }[]): string {
  return endpoints
    .map(({ route }) => `${route.workflowId} ${route.version} ${route.endpoint}`)
    .toSorted()
    .join();
}
