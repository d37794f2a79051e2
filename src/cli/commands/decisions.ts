import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Decision } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { convertMarkdownToText } from '../../lib/text/message-markdown.ts';
import { formatByteSize } from '../../lib/text/byte-size.ts';
import { toPlainText, timeText } from '../terminal/text.ts';
import { UsageError } from '../usage-error.ts';
import { readInput } from './input.ts';
import { showList, type ListOptions } from './list.ts';

type InboxOptions = ConnectOptions &
  ListOptions & { readonly owned?: boolean; readonly closed?: boolean; readonly search?: string };

export async function listDecisions(context: RunContext, options: InboxOptions): Promise<undefined> {
  const { owned, closed, search } = options;
  const query = {
    view: owned === true ? ('owned' as const) : ('assigned' as const),
    status: closed === true ? ('closed' as const) : ('open' as const),
    search,
  };
  await showList(
    context,
    options,
    'decisions',
    (page, given) => context.client.decisions.list({ ...page, ...query }, given),
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'STATUS', of: (one) => describeStatus(one) },
      { title: 'ASKED', of: (one) => timeText(one.created_at) },
      { title: 'DEADLINE', of: (one) => timeText(one.deadline) },
      { title: 'CHOICES', of: (one) => one.choices.map(({ name }) => name).join(', ') },
      { title: 'TITLE', of: (one) => one.title, isLoose: true },
    ],
    closed === true ? 'There is no closed decision.' : 'There is no open decision.',
  );
  return undefined;
}

export async function showDecision(
  context: RunContext,
  { save }: ConnectOptions & { readonly save?: string },
  id = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  const decision = await client.decisions.get(id, { signal });
  printer.show(decision, () => printDecision(context, decision));
  if (save !== undefined) await saveAttachments(context, decision, save);
  return undefined;
}

function printDecision({ printer }: RunContext, decision: Decision): void {
  const { title, message, attachments, fields, assignees } = decision;
  printer.record([
    ['decision', title],
    ['status', describeStatus(decision)],
    ['workflow', decision.workflow_name],
    ['execution', decision.execution_id],
    ['asked', timeText(decision.created_at)],
    ['deadline', timeText(decision.deadline)],
    ['choices', decision.choices.map(({ name }) => name).join(', ')],
  ]);
  if (message !== null) {
    printer.line();
    printer.line(toPlainText(convertMarkdownToText(message)));
  }
  if (attachments.length > 0) {
    printer.line();
    printer.table(
      [
        { title: 'ATTACHMENT', of: (one) => one.name, isLoose: true },
        { title: 'TYPE', of: (one) => one.content_type },
        { title: 'SIZE', of: (one) => formatByteSize(one.size), isRight: true },
      ],
      attachments,
    );
  }
  if (fields.length > 0) {
    printer.line();
    printer.table(
      [
        { title: 'FIELD', of: (one) => one.name },
        { title: 'TYPE', of: (one) => one.type },
        { title: 'REQUIRED', of: (one) => (one.required ? 'yes' : '') },
        { title: 'DEFAULT', of: (one) => one.default, isLoose: true },
      ],
      fields,
    );
  }
  printer.line();
  printer.table(
    [
      { title: 'PERSON', of: (one) => one.email },
      { title: 'CHOICE', of: (one) => one.choice ?? '' },
      { title: 'RESPONDED', of: (one) => timeText(one.responded_at) },
      { title: 'COMMENT', of: (one) => one.comment ?? '', isLoose: true },
    ],
    assignees,
  );
}

async function saveAttachments(
  { client, printer, signal }: RunContext,
  { id, attachments }: Decision,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { id: fileId, name } of attachments) {
    const file = path.join(folder, path.basename(name));
    const { body } = await client.decisions.attachments.get(id, fileId, { signal });
    try {
      await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(file, { flags: 'wx' }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new UsageError(`The file ${file} exists. Choose another folder.`);
    }
    printer.note(`Saved ${toPlainText(file)}`);
  }
}

export async function decide(
  { client, printer, signal, terminal }: RunContext,
  { comment, values }: ConnectOptions & { readonly comment?: string; readonly values?: string },
  id = '',
  choice = '',
): Promise<undefined> {
  const entered = await readInput(terminal, values, '--values');
  const input = {
    choice,
    ...(comment !== undefined && { comment }),
    ...(entered !== undefined && { values: entered }),
  };
  const decision = await client.decisions.respond(id, input, { signal });
  printer.show(decision, () => {
    const state =
      decision.status === 'open' ? 'More responses are needed.' : `It is decided: ${decision.choice}.`;
    printer.line(`You responded to "${toPlainText(decision.title)}" with ${choice}. ${state}`);
  });
  return undefined;
}

function describeStatus({ status, choice }: Decision): string {
  return status === 'decided' ? `decided: ${choice}` : status;
}
