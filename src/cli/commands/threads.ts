import type { ThreadDetail } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { timeText } from '../terminal/text.ts';
import { findWorkflowId } from './find-workflow.ts';
import { showList, type ListOptions } from './list.ts';
import { remove, type DeleteOptions } from './remove.ts';

type ThreadOptions = ConnectOptions &
  ListOptions & { readonly workflow?: string; readonly namespace?: string; readonly search?: string };
type Message = ThreadDetail['conversation'][number]['messages'][number];

export async function listThreads(context: RunContext, options: ThreadOptions): Promise<undefined> {
  const { workflow, namespace, search } = options;
  const query = {
    workflow_id: workflow === undefined ? undefined : await findWorkflowId(context, workflow),
    namespace,
    search,
  };
  await showList(
    context,
    options,
    'threads',
    (page, given) => context.client.threads.list({ ...page, ...query }, given),
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'TURNS', of: (one) => String(one.turns) },
      { title: 'CHANGED', of: (one) => timeText(one.updated_at) },
      { title: 'OF', of: (one) => one.namespace ?? one.workflow_name, isLoose: true },
      { title: 'KEY', of: (one) => one.key, isLoose: true },
    ],
    'There is no thread.',
  );
  return undefined;
}

export async function showThread(context: RunContext, _options: ConnectOptions, id = ''): Promise<undefined> {
  const { client, printer, signal } = context;
  const thread = await client.threads.get(id, { signal });
  printer.show(thread, () => {
    printer.record([
      ['key', thread.key],
      [thread.namespace === null ? 'workflow' : 'namespace', thread.namespace ?? thread.workflow_name],
      ['turns', String(thread.turns)],
      ['tokens', String(thread.tokens)],
      ['changed', timeText(thread.updated_at)],
      ['expires', timeText(thread.expires_at)],
    ]);
    const left = thread.turns - thread.conversation.length;
    if (left > 0) printer.note(`… ${left} earlier turns are not shown`);
    for (const turn of thread.conversation) {
      printer.line('');
      printer.line(`${timeText(turn.created_at)}  ${turn.execution_id}`);
      for (const message of turn.messages) for (const line of describeMessage(message)) printer.line(line);
    }
  });
  return undefined;
}

function describeMessage({ role, content }: Message): string[] {
  const name = typeof role === 'string' ? role : '';
  if (typeof content === 'string') return [`  ${name}: ${content}`];
  if (!Array.isArray(content)) return [];
  return (content as Record<string, unknown>[]).flatMap((part) => {
    if (part['type'] === 'text' && typeof part['text'] === 'string') return [`  ${name}: ${part['text']}`];
    if (part['type'] === 'tool_call')
      return [`  ${name} calls ${JSON.stringify(part['name'])} with ${JSON.stringify(part['arguments'])}`];
    if (part['type'] === 'tool_result')
      return [`  ${JSON.stringify(part['name'])} returned ${JSON.stringify(part['result'])}`];
    return [];
  });
}

export async function deleteThread(
  context: RunContext,
  options: DeleteOptions,
  id = '',
): Promise<number | undefined> {
  return remove(context, options, `the thread ${id}`, () =>
    context.client.threads.delete(id, { signal: context.signal }),
  );
}
