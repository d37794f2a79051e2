import { GraphQLBoolean, GraphQLNonNull } from 'graphql';
import { ThreadListQuerySchema } from '../../../contract/requests/thread.ts';
import { ThreadDetailResource, ThreadListResource } from '../../../contract/resources/thread.ts';
import { presentThreadDetail, presentThreads } from '../../serializers/thread.ts';
import type { GraphqlServices } from '../services.ts';
import {
  createIdArg,
  createOutputType,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';

export function threadOperations(builder: OperationBuilder, { threads }: GraphqlServices): Operation[] {
  const list = createOutputType(builder, ThreadListResource);
  const thread = createOutputType(builder, ThreadDetailResource);
  const listArgs = createQueryArgs(builder, ThreadListQuerySchema);
  const id = createIdArg('The id of the thread.');
  return [
    {
      kind: 'query',
      name: 'threads',
      scope: 'executions:read',
      description: 'The threads that your executions continue, last changed first.',
      args: listArgs.args,
      type: list.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        list.show(presentThreads(await threads.list(principal, listArgs.read(args)))),
    },
    {
      kind: 'query',
      name: 'thread',
      scope: 'executions:read',
      description: 'A thread with its newest turns; null when it does not exist.',
      args: { id },
      type: builder.objects.of(ThreadDetailResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          threads
            .get(principal, readText(args, 'id'))
            .then((found) => thread.show(presentThreadDetail(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'deleteThread',
      scope: 'executions:write',
      description: 'Deletes a thread with all of its turns.',
      args: { id },
      type: new GraphQLNonNull(GraphQLBoolean),
      resolve: async (args, principal) => {
        await threads.remove(principal, readText(args, 'id'));
        return true;
      },
    },
  ];
}
