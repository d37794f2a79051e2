import { RespondToDecisionSchema, DecisionListQuerySchema } from '../../../contract/requests/decision.ts';
import { DecisionListResource, DecisionResource } from '../../../contract/resources/decision.ts';
import { presentDecision, presentDecisions } from '../../serializers/decision.ts';
import type { GraphqlServices } from '../services.ts';
import {
  createIdArg,
  createInputArg,
  createOutputType,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';

export function decisionOperations(builder: OperationBuilder, { decisions }: GraphqlServices): Operation[] {
  const list = createOutputType(builder, DecisionListResource);
  const decision = createOutputType(builder, DecisionResource);
  const listArgs = createQueryArgs(builder, DecisionListQuerySchema);
  const respond = createInputArg(builder, 'input', 'RespondToDecisionInput', RespondToDecisionSchema);
  const id = createIdArg('The id of the decision.');
  return [
    {
      kind: 'query',
      name: 'decisions',
      scope: 'executions:read',
      description: 'The decisions that you were asked for, or that your executions asked for, newest first.',
      args: listArgs.args,
      type: list.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        list.show(presentDecisions(await decisions.list(principal, listArgs.read(args)))),
    },
    {
      kind: 'query',
      name: 'decision',
      scope: 'executions:read',
      description: 'A decision; null when it does not exist.',
      args: { id },
      type: builder.objects.of(DecisionResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          decisions
            .get(principal, readText(args, 'id'))
            .then((found) => decision.show(presentDecision(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'respondToDecision',
      scope: 'decisions:write',
      description: 'Records a response once. The same response again has no effect.',
      args: { id, ...respond.args },
      type: decision.type,
      resolve: async (args, principal) =>
        decision.show(
          presentDecision(await decisions.respond(principal, readText(args, 'id'), respond.read(args))),
        ),
    },
  ];
}
