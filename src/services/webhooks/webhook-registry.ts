import { isObject } from '../../lib/json/json.ts';
import type { LiveTriggers, WebhookRoute } from '../../ports/store/active-triggers.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { beginsWithParameter, endpointSegments } from './webhook-endpoint.ts';
import { WebhookRouter, type RouteMatch } from './webhook-router.ts';
import { compileEndpoint, type CompiledEndpoint } from './compiled-endpoint.ts';

/** An endpoint of an active workflow. */
export type RegisteredWebhook = {
  readonly route: WebhookRoute;
  /** Being read, or read; null: not asked for yet. */
  target: Promise<CompiledEndpoint | null> | null;
  /** What was read, to be had without waiting. */
  ready: CompiledEndpoint | null;
  /** When its owner was last told that it cannot be served. */
  faultAt: number;
};

/** The calls of one workflow in the window that began at `window`. */
export type CallCount = { window: number; calls: number };

type Entry = { routes: RegisteredWebhook[]; router: WebhookRouter<RegisteredWebhook>; count: CallCount };

/** The endpoints of all active workflows, in memory, and by what each is served. */
export class WebhookRegistry {
  readonly #workflows: Pick<WorkflowStore, 'webhooks' | 'get' | 'version'>;
  readonly #router = new WebhookRouter<RegisteredWebhook>();
  readonly #byWorkflow = new Map<string, Entry>();

  constructor(workflows: Pick<WorkflowStore, 'webhooks' | 'get' | 'version'>) {
    this.#workflows = workflows;
  }

  /** Takes what is live from the store, the first time or again; before this nothing is found. */
  async open(): Promise<void> {
    const routes = Map.groupBy(await this.#workflows.webhooks(), (route) => route.workflowId);
    for (const workflowId of this.#byWorkflow.keys())
      if (!routes.has(workflowId)) this.change(workflowId, null);
    for (const [workflowId, webhooks] of routes) this.change(workflowId, { webhooks });
  }

  /** What is live of a workflow is this now; null: nothing. */
  change(workflowId: string, live: Pick<LiveTriggers, 'webhooks'> | null): void {
    for (const { route } of this.#byWorkflow.get(workflowId)?.routes ?? []) {
      if (!beginsWithParameter(endpointSegments(route.endpoint)))
        this.#router.remove(route.method, route.endpoint);
    }
    this.#byWorkflow.delete(workflowId);
    if (live === null || live.webhooks.length === 0) return;
    const router = new WebhookRouter<RegisteredWebhook>();
    const routes = live.webhooks.map((route): RegisteredWebhook => ({
      route,
      target: null,
      ready: null,
      faultAt: -Infinity,
    }));
    for (const one of routes) {
      if (!beginsWithParameter(endpointSegments(one.route.endpoint)))
        this.#router.add(one.route.method, one.route.endpoint, one);
      router.add(one.route.method, one.route.endpoint, one);
    }
    this.#byWorkflow.set(workflowId, { routes, router, count: { window: 0, calls: 0 } });
  }

  /** By endpoint, or by a workflow's id and its endpoint; a HEAD is served by GET where it has no endpoint of its own. */
  find(method: string, path: string): RouteMatch<RegisteredWebhook> | null {
    return this.#find(method, path) ?? (method === 'HEAD' ? this.#find('GET', path) : null);
  }

  /** Null: its configuration cannot be read, and nobody is served. */
  targetOf(live: RegisteredWebhook): Promise<CompiledEndpoint | null> {
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

  /** Undefined for a workflow of which nothing is live. */
  countOf(workflowId: string): CallCount | undefined {
    return this.#byWorkflow.get(workflowId)?.count;
  }

  #find(method: string, path: string): RouteMatch<RegisteredWebhook> | null {
    const slash = path.indexOf('/');
    if (slash > 0 && path.startsWith('wf_'))
      return this.#byWorkflow.get(path.slice(0, slash))?.router.find(method, path.slice(slash + 1)) ?? null;
    return this.#router.find(method, path);
  }

  async #read(route: WebhookRoute): Promise<CompiledEndpoint | null> {
    const [row, stored] = await Promise.all([
      this.#workflows.get(route.ownerId, route.workflowId),
      this.#workflows.version(route.ownerId, route.workflowId, route.version),
    ]);
    const config = stored?.definition.nodes.find((node) => node.id === route.nodeId)?.config;
    return row === null || !isObject(config) ? null : compileEndpoint(route, row.settings, config);
  }
}
