import type { StreamEvent } from 'weft-client';
import { client } from '../../data/client.ts';
import { toErrorText } from '../../data/error-text.ts';
import { createStore, type Store } from '../../data/store.ts';
import { t } from '../../i18n/index.ts';
import { ChatTestTexts, readChatText } from './chat-texts.ts';

/** The maximum number of messages that are sent with the next one. */
const MAX_HISTORY = 100;

/** A message of a test. `approval`: the title of a question that its execution waits for. */
export type ChatTestMessage = {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly status: 'done' | 'writing' | 'failed';
  readonly executionId: string | null;
  readonly approval: string | null;
};

/** A conversation with the draft of a workflow. It continues when the node is not selected. */
export type ChatTest = {
  readonly messages: Store<readonly ChatTestMessage[]>;
  /** `save` saves the canvas first; false: it could not be saved. */
  send(model: string, text: string, save: () => Promise<boolean>): Promise<void>;
  /** Stops the execution that is writing. */
  stop(): void;
  clear(): void;
  /** Calls the watcher with each execution that a message started. Returns the function that ends this. */
  whenStarted(watcher: (executionId: string) => void): () => void;
  close(): void;
};

export function createChatTest(workflowId: string): ChatTest {
  const messages = createStore<readonly ChatTestMessage[]>([]);
  const watchers = new Set<(executionId: string) => void>();
  let leaving = new AbortController();
  let lastId = 0;

  function add(message: Omit<ChatTestMessage, 'id' | 'executionId' | 'approval'>): number {
    const id = ++lastId;
    messages.set([...messages.get(), { ...message, id, executionId: null, approval: null }]);
    return id;
  }

  function change(id: number, update: Partial<ChatTestMessage>): void {
    messages.set(messages.get().map((one) => (one.id === id ? { ...one, ...update } : one)));
  }

  async function follow(id: number, executionId: string, signal: AbortSignal): Promise<void> {
    const texts = new ChatTestTexts();
    for await (const event of client.executions.stream(executionId, { signal })) {
      if (event.type === 'done') {
        const isComplete = event.status === 'completed';
        change(id, {
          status: isComplete ? 'done' : 'failed',
          text: isComplete ? readChatText(event.output) : describeEnd(event),
          approval: null,
        });
        return;
      }
      if (event.type === 'approval') change(id, { approval: event.status === 'open' ? event.title : null });
      else if (texts.receive(event)) change(id, { text: texts.current, approval: null });
    }
  }

  return {
    messages,
    async send(model, text, save) {
      const { signal } = leaving;
      const history = messages
        .get()
        .filter(({ status, text: said }) => status === 'done' && said !== '')
        .slice(-MAX_HISTORY)
        .map(({ role, text: content }) => ({ role, content }));
      const question = add({ role: 'user', text, status: 'done' });
      const id = add({ role: 'assistant', text: '', status: 'writing' });
      try {
        if (!(await save())) throw new Error(t('The workflow could not be saved.'));
        const input = {
          message: text,
          messages: [...history, { role: 'user', content: text }],
          model,
          user: null,
          parameters: {},
        };
        const { id: executionId } = await client.workflows.execute(workflowId, { input }, { signal });
        change(id, { executionId });
        for (const watcher of watchers) watcher(executionId);
        await follow(id, executionId, signal);
      } catch (error) {
        if (signal.aborted) return;
        change(id, { status: 'failed', text: toErrorText(error) });
        // A message without a response is not part of the conversation.
        change(question, { status: 'failed' });
      }
    },
    stop() {
      const running = messages.get().find(({ status }) => status === 'writing');
      if (running === undefined || running.executionId === null) return;
      client.executions
        .stop(running.executionId)
        .catch((error: unknown) => change(running.id, { status: 'failed', text: toErrorText(error) }));
    },
    clear() {
      leaving.abort();
      leaving = new AbortController();
      messages.set([]);
    },
    whenStarted(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    close() {
      leaving.abort();
    },
  };
}

function describeEnd({ status, error }: Extract<StreamEvent, { type: 'done' }>): string {
  return status === 'stopped' || error === null ? t('The execution was stopped.') : error.message;
}
