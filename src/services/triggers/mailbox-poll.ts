import type { JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { DEFAULT_ITEMS } from '../../nodes/triggers/polling-config.ts';
import { moveCursor } from '../../nodes/triggers/poll-mailbox.ts';
import type {
  MailboxCursor,
  MailboxList,
  MailboxRead,
  MailboxTask,
} from '../../nodes/triggers/poll-mailbox.ts';
import type { FileRow } from '../../ports/store/files.ts';
import type { ClaimedPoll, PollOutcome } from '../../ports/store/polling.ts';
import { createPolledItem, type PolledItem } from './poll-items.ts';

/** Messages that are read over one connection before their executions start. */
const BATCH_SIZE = 20;

export type MailboxSteps = {
  /** Sends a request to the server. The rows of saved files are added to `files`. */
  request(task: MailboxTask, files: FileRow[]): Promise<unknown>;
  seen(digests: readonly string[]): Promise<string[]>;
  /** Starts an execution for each message. False: capacity did not suffice for all of them. */
  start(items: readonly PolledItem[]): Promise<boolean>;
};

/** `hasCapacity` false: some items were not started because there was no capacity. */
export type CursorResult = Pick<PollOutcome, 'cursor' | 'listed' | 'number'> & { hasCapacity: boolean };

type Listed = MailboxList['messages'][number] & { item: PolledItem };

/**
 * One poll of a mailbox: starts an execution for each new message, oldest first. A message is identified by
 * the UID validity of the mailbox and its UID. The cursor passes a message when its execution is on disk; a
 * message whose execution started before a crash is recognized by its key. Only then a message is marked or
 * moved.
 */
export async function pollMailboxOnce(
  config: JsonObject,
  poll: ClaimedPoll,
  steps: MailboxSteps,
): Promise<CursorResult> {
  const cursor = poll.cursor === null ? null : (JSON.parse(poll.cursor) as MailboxCursor);
  const isFirst = poll.number === 0 && cursor === null && config['first'] !== 'take';
  const list = (await steps.request({ kind: 'list', cursor, isFirst }, [])) as MailboxList;
  const { validity } = list.end;
  const messages = list.messages.map((message): Listed => ({
    ...message,
    item: createPolledItem(null, `${validity}:${message.uid}`),
  }));
  const listed = messages.map(({ item }) => item.digest);
  const seen = new Set(await steps.seen(listed));
  const fresh = messages.filter(({ item }) => !seen.has(item.digest));
  const most = typeof config['maxItems'] === 'number' ? config['maxItems'] : DEFAULT_ITEMS;
  const { count, hasCapacity } = await startBatches(validity, fresh.slice(0, most), steps);
  // The first message that is left; everything before it has started.
  const left = fresh[count];
  const processed = left === undefined ? messages : messages.slice(0, messages.indexOf(left));
  const finished = processed.map(({ uid }) => uid);
  if (finished.length > 0 && (config['mark_seen'] === true || config['move_to'] !== undefined))
    await steps.request({ kind: 'finish', validity, uids: finished }, []);
  const end = left === undefined ? list.end : moveCursor(list.start, processed);
  return { cursor: JSON.stringify(end), listed, number: poll.number + 1, hasCapacity };
}

/** `count`: the messages whose executions are on disk, or that no longer exist. */
async function startBatches(
  validity: string,
  messages: readonly Listed[],
  steps: MailboxSteps,
): Promise<{ count: number; hasCapacity: boolean }> {
  let count = 0;
  while (count < messages.length) {
    const batch = messages.slice(count, count + BATCH_SIZE);
    const files: FileRow[] = [];
    const task: MailboxTask = { kind: 'read', validity, uids: batch.map(({ uid }) => uid) };
    const read = (await steps.request(task, files)) as MailboxRead;
    const items = read.flatMap((message, i): PolledItem[] => {
      const item = batch[i]?.item;
      return message === null || item === undefined
        ? []
        : [{ ...item, item: message, files: findFiles(message, files) }];
    });
    if (!(await steps.start(items))) return { count, hasCapacity: false };
    count += read.length;
  }
  return { count, hasCapacity: true };
}

function findFiles({ attachments }: JsonObject, files: readonly FileRow[]): FileRow[] {
  const list = Array.isArray(attachments) ? attachments : [];
  const ids = new Set(
    list.map((one) => (isObject(one) && isObject(one['$file']) ? one['$file']['id'] : undefined)),
  );
  return files.filter(({ id }) => ids.has(id));
}
