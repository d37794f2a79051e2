import type { ExecutionSummary, Listener } from 'weft-client';
import { client } from '../../data/client.ts';
import { createStore, type Store } from '../../data/store.ts';
import { toErrorText } from '../../data/error-text.ts';
import { throttle } from '../../lib/throttle.ts';
import { t } from '../../i18n/index.ts';

/** A request that arrived at a test URL. */
export type TestEvent = { readonly executionId: string; readonly at: string | null; readonly input: unknown };

/** How long a test URL is valid. `expires_at` is not used, since browser and service clocks may differ. */
const TEST_URL_LIFETIME_MS = 120_000;

/** `until`: when the test URL expires, in epoch ms of this browser. */
export type ListenState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'opening'; readonly nodeId: string }
  | {
      readonly kind: 'listening';
      readonly nodeId: string;
      readonly listener: Listener;
      readonly until: number;
    }
  /** The user stopped it, which closes the test URL. */
  | { readonly kind: 'stopped'; readonly nodeId: string }
  /** The test URL has expired without an event. */
  | { readonly kind: 'expired'; readonly nodeId: string }
  | { readonly kind: 'received'; readonly nodeId: string; readonly event: TestEvent }
  | { readonly kind: 'failed'; readonly nodeId: string; readonly message: string };

/** What a screen reader announces when the state begins; null: what appears announces itself. */
export function announceListening({ kind }: ListenState): string | null {
  if (kind === 'listening') return t('Waiting for a request');
  if (kind === 'received') return t('Event received');
  return kind === 'expired' ? t('No event received.') : null;
}

/** Waits for a request to the test URL of a webhook trigger. It continues when the node is not selected. */
export type Listening = {
  readonly state: Store<ListenState>;
  /** `save` saves the canvas first; false: it could not be saved. */
  start(nodeId: string, save: () => Promise<boolean>): Promise<void>;
  stop(): void;
  /** Calls the watcher with each execution started by a test request. Returns the unsubscribe function. */
  whenReceived(watcher: (executionId: string) => void): () => void;
  close(): void;
};

const IDLE: ListenState = { kind: 'idle' };

/** For a canvas on which nothing can listen. */
export const notListening: Store<ListenState> = createStore<ListenState>(IDLE);

/** ms between two looks at the executions while they change, and while nothing is reported. */
const LOOK_INTERVAL_MS = 500;
const QUIET_LOOK_INTERVAL_MS = 10_000;
/** The number of newest executions among which a test request is looked for. */
const REQUEST_COUNT = 50;

export function createListening(workflowId: string): Listening {
  const state = createStore<ListenState>(IDLE);
  const watchers = new Set<(executionId: string) => void>();
  let leaving = new AbortController();
  /** A test URL that is being closed: the next one opens after it. */
  let closing = Promise.resolve();

  /** The newest executions that test requests to a trigger have started, newest first. */
  async function findTests(nodeId: string, signal: AbortSignal): Promise<ExecutionSummary[]> {
    const { executions } = await client.executions.list(
      { workflow_id: workflowId, limit: REQUEST_COUNT },
      { signal },
    );
    return executions.filter(
      ({ trigger, retry_of: original }) =>
        trigger.type === 'webhook' &&
        trigger.node_id === nodeId &&
        trigger['test'] === true &&
        original === null,
    );
  }

  async function receive({ id, start_time: at }: ExecutionSummary, nodeId: string): Promise<void> {
    leaving.abort();
    leaving = new AbortController();
    const { signal } = leaving;
    for (const watcher of watchers) watcher(id);
    const { input } = await client.executions.get(id, { signal });
    if (!signal.aborted) state.set({ kind: 'received', nodeId, event: { executionId: id, at, input } });
  }

  /** Looks for the event when an execution changes, and periodically in case an update is lost. */
  function wait(nodeId: string, knownIds: ReadonlySet<string>, until: number, signal: AbortSignal): void {
    const fail = (error: unknown): void => {
      if (!signal.aborted) state.set({ kind: 'failed', nodeId, message: toErrorText(error) });
    };
    const check = async (): Promise<boolean> => {
      const found = (await findTests(nodeId, signal)).find(({ id }) => !knownIds.has(id));
      if (found === undefined || signal.aborted) return false;
      await receive(found, nodeId);
      return true;
    };
    const reported = throttle(LOOK_INTERVAL_MS, () => void check().catch(fail));
    const regular = setInterval(() => reported.ask(), QUIET_LOOK_INTERVAL_MS);
    const expiry = setTimeout(
      () => {
        const end = async (): Promise<void> => {
          if ((await check()) || signal.aborted) return;
          leaving.abort();
          state.set({ kind: 'expired', nodeId });
        };
        void end().catch(fail);
      },
      Math.max(0, until - Date.now()),
    );
    signal.addEventListener('abort', () => {
      reported.stop();
      clearInterval(regular);
      clearTimeout(expiry);
    });
    const follow = async (): Promise<void> => {
      const seen = new Set<string>();
      for await (const { execution_id: id } of client.live.executions({ workflowId, signal })) {
        if (seen.has(id)) continue;
        seen.add(id);
        reported.ask();
      }
    };
    // Without live updates, the regular looks find the event.
    follow().catch(() => undefined);
  }

  return {
    state,
    async start(nodeId, save) {
      leaving.abort();
      leaving = new AbortController();
      const { signal } = leaving;
      state.set({ kind: 'opening', nodeId });
      try {
        await closing;
        if (!(await save())) {
          state.set({ kind: 'failed', nodeId, message: t('The workflow could not be saved.') });
          return;
        }
        const knownIds = new Set((await findTests(nodeId, signal)).map(({ id }) => id));
        const listener = await client.workflows.listen(workflowId, { node_id: nodeId }, { signal });
        if (signal.aborted) return;
        const until = Date.now() + TEST_URL_LIFETIME_MS;
        state.set({ kind: 'listening', nodeId, listener, until });
        wait(nodeId, knownIds, until, signal);
      } catch (error) {
        if (!signal.aborted) state.set({ kind: 'failed', nodeId, message: toErrorText(error) });
      }
    },
    stop() {
      const before = state.get();
      leaving.abort();
      if (before.kind !== 'listening') return state.set(IDLE);
      const { nodeId } = before;
      const stopped: ListenState = { kind: 'stopped', nodeId };
      state.set(stopped);
      closing = client.workflows.stopListening(workflowId, { node_id: nodeId }).then(
        () => undefined,
        (error: unknown) => {
          if (state.get() !== stopped) return;
          const message = t('The test URL could not be closed: {{error}}', { error: toErrorText(error) });
          state.set({ kind: 'failed', nodeId, message });
        },
      );
    },
    whenReceived(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    close() {
      leaving.abort();
    },
  };
}
