import type { Definition, WorkflowSettings } from '../../contract/definition.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import type { ActiveTriggers, WebhookRoute } from '../../ports/store/active-triggers.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { beginsWithParameter, splitEndpoint } from './webhook-endpoint.ts';
import { WebhookRouter, type RouteMatch } from './webhook-router.ts';

/** An endpoint of an active workflow. `Target` is its compiled configuration. */
export type RegisteredEndpoint<Target> = {
  readonly route: WebhookRoute;
  /** The pending or completed read; null before the first call. */
  target: Promise<Target | null> | null;
  /** The result of the read, available synchronously. */
  ready: Target | null;
  /** When its owner was last notified that it cannot be served. */
  failedAt: number;
};

/** The number of calls of one workflow in the window that began at `window`. */
export type CallCount = { window: number; calls: number };

type Entry<Target> = {
  routes: RegisteredEndpoint<Target>[];
  router: WebhookRouter<RegisteredEndpoint<Target>>;
  count: CallCount;
};

/** Returns null for a configuration that cannot be served. */
type Compile<Target> = (
  route: WebhookRoute,
  settings: WorkflowSettings,
  config: JsonObject,
  definition: Definition,
) => Target | null;

/** An in-memory index of the endpoints of all active workflows, with their compiled configuration. */
export class WebhookRegistry<Target> {
  readonly #workflows: Pick<WorkflowStore, 'listWebhooks' | 'get' | 'version'>;
  readonly #includes: (route: WebhookRoute) => boolean;
  readonly #compile: Compile<Target>;
  readonly #router = new WebhookRouter<RegisteredEndpoint<Target>>();
  readonly #byWorkflow = new Map<string, Entry<Target>>();

  /** `includes`: whether this index contains a route. */
  constructor(
    workflows: Pick<WorkflowStore, 'listWebhooks' | 'get' | 'version'>,
    includes: (route: WebhookRoute) => boolean,
    compile: Compile<Target>,
  ) {
    this.#workflows = workflows;
    this.#includes = includes;
    this.#compile = compile;
  }

  /** Loads the active endpoints from the store, initially or again; before this no endpoint is found. */
  async open(): Promise<void> {
    const routes = Map.groupBy(await this.#workflows.listWebhooks(), (route) => route.workflowId);
    for (const workflowId of this.#byWorkflow.keys())
      if (!routes.has(workflowId)) this.change(workflowId, null);
    for (const [workflowId, webhooks] of routes) this.change(workflowId, { webhooks });
  }

  /** Replaces the active webhooks of a workflow; null removes them. */
  change(workflowId: string, live: Pick<ActiveTriggers, 'webhooks'> | null): void {
    for (const one of this.#byWorkflow.get(workflowId)?.routes ?? []) {
      const { method, endpoint } = one.route;
      if (!beginsWithParameter(splitEndpoint(endpoint))) this.#router.remove(method, endpoint, one);
    }
    this.#byWorkflow.delete(workflowId);
    const included = live?.webhooks.filter(this.#includes) ?? [];
    if (included.length === 0) return;
    const router = new WebhookRouter<RegisteredEndpoint<Target>>();
    const routes = included.map((route): RegisteredEndpoint<Target> => ({
      route,
      target: null,
      ready: null,
      failedAt: -Infinity,
    }));
    for (const one of routes) {
      if (!beginsWithParameter(splitEndpoint(one.route.endpoint)))
        this.#router.add(one.route.method, one.route.endpoint, one);
      router.add(one.route.method, one.route.endpoint, one);
    }
    this.#byWorkflow.set(workflowId, { routes, router, count: { window: 0, calls: 0 } });
  }

  /**
   * Finds by endpoint, or by a workflow's id and its endpoint; GET serves HEAD when no endpoint has that
   * method.
   */
  find(method: string, path: string): RouteMatch<RegisteredEndpoint<Target>> | null {
    return this.#find(method, path) ?? (method === 'HEAD' ? this.#find('GET', path) : null);
  }

  /** The endpoints of a workflow. */
  listOf(workflowId: string): readonly RegisteredEndpoint<Target>[] {
    return this.#byWorkflow.get(workflowId)?.routes ?? [];
  }

  /** The endpoints of a user's workflows. */
  list(ownerId: string): RegisteredEndpoint<Target>[] {
    return [...this.#byWorkflow.values()]
      .flatMap(({ routes }) => routes)
      .filter(({ route }) => route.ownerId === ownerId);
  }

  ofWorkflow(workflowId: string): readonly RegisteredEndpoint<Target>[] {
    return this.#byWorkflow.get(workflowId)?.routes ?? [];
  }

  /** Resolves with null when the configuration cannot be read: no call is served then. */
  loadEndpoint(live: RegisteredEndpoint<Target>): Promise<Target | null> {
    live.target ??= this.#read(live.route).then(
      (target) => {
        live.ready = target;
        return target;
      },
      (error: unknown) => {
        live.target = null;
        throw error;
      },
    );
    return live.target;
  }

  /** Returns undefined for a workflow without active webhooks. */
  findCallCount(workflowId: string): CallCount | undefined {
    return this.#byWorkflow.get(workflowId)?.count;
  }

  #find(method: string, path: string): RouteMatch<RegisteredEndpoint<Target>> | null {
    const slash = path.indexOf('/');
    if (slash > 0 && path.startsWith('wf_'))
      return this.#byWorkflow.get(path.slice(0, slash))?.router.find(method, path.slice(slash + 1)) ?? null;
    return this.#router.find(method, path);
  }

  async #read(route: WebhookRoute): Promise<Target | null> {
    const [row, stored] = await Promise.all([
      this.#workflows.get(route.ownerId, route.workflowId),
      this.#workflows.version(route.ownerId, route.workflowId, route.version),
    ]);
    if (row === null || stored === null) return null;
    const { definition } = stored;
    const config = definition.nodes.find((node) => node.id === route.nodeId)?.config;
    return isObject(config) ? this.#compile(route, row.settings, config, definition) : null;
  }
}
