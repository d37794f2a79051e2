import { Type } from 'typebox';
import { Count, JsonObject, Text, Time, defineList, nullable, defineResource } from './resource.ts';

/** Response resources of threads. */

const fields = {
  id: Text(),
  key: Text('What the node names: a chat, a customer, a ticket.'),
  workflow_id: nullable(Text('The workflow that the thread belongs to; null for a thread of a namespace.')),
  workflow_name: Text('Empty for a thread of a namespace.'),
  namespace: nullable(Text('The name by which workflows share the thread.')),
  turns: Count('The number of stored turns: one for each node run that added messages.'),
  messages: Count('The number of messages of all turns.'),
  tokens: Count('An estimate for all messages: one token for four bytes.'),
  created_at: Time(),
  updated_at: Time('When the last turn was added.'),
  expires_at: nullable(Time('When the thread is deleted unless a turn is added before; null: never.')),
};

export const ThreadResource = defineResource('Thread', 'A conversation that executions continue.', fields);

const TurnResource = defineResource('ThreadTurn', 'What one node run added.', {
  execution_id: Text('The execution may have been deleted since.'),
  node_path: Text('The node run that added the turn.'),
  created_at: Time(),
  messages: Type.Array(JsonObject(), {
    description: 'The messages, as `{role, content}`, in the format of the conversation of an agent.',
  }),
});

export const ThreadDetailResource = defineResource('ThreadDetail', 'A thread with its newest turns.', {
  ...fields,
  conversation: Type.Array(TurnResource, {
    description: 'The newest turns with at most 1 MiB of messages, oldest first.',
  }),
});

export const ThreadListResource = defineList('ThreadList', 'threads', ThreadResource);
