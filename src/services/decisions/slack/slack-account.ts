import { onAbort } from '../../../lib/async/abort.ts';
import { isObject, type JsonObject } from '../../../lib/json/json.ts';
import { slackCall, type SlackOperation } from '../../../nodes/flow/approval/slack/slack-call.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { AttemptResult, NodeRunner } from '../../../ports/runner.ts';
import type { DecisionRow } from '../../../ports/store/decisions.ts';
import type { ExecutionStore } from '../../../ports/store/executions.ts';
import type { WorkflowStore } from '../../../ports/store/workflows.ts';
import { compileListConfig, createListAttempt } from '../../list-attempt.ts';

/** `{{ secrets.NAME }}` or a name. */
const SECRET_NAME = /^(?:\{\{\s*secrets\.)?(\w+)(?:\s*\}\})?$/;

/** The account of Slack that a node uses. `credentials`: fields of the configuration of a call. */
export type SlackAccount = { credentials: JsonObject; signingSecret: string };

export type SlackAccountsDeps = {
  executions: Pick<ExecutionStore, 'get'>;
  workflows: Pick<WorkflowStore, 'version'>;
  runner: NodeRunner;
  clock: Pick<Clock, 'now'>;
};

/** Calls of Slack with the account of the node that asked, after the node has ended its attempt. */
export function createSlackAccounts({ executions, workflows, runner, clock }: SlackAccountsDeps) {
  return {
    /**
     * From the version of the workflow that the execution runs. Null: the node has no account, or the
     * execution or the workflow was deleted.
     */
    async find({ ownerId, executionId, workflowId, nodeId }: DecisionRow): Promise<SlackAccount | null> {
      const execution = await executions.get(ownerId, executionId);
      const stored =
        execution === null ? null : await workflows.version(ownerId, workflowId, execution.workflowVersion);
      const { slack } = stored?.definition.nodes.find(({ id }) => id === nodeId)?.config ?? {};
      if (!isObject(slack)) return null;
      const { credentials, connection, signing_secret: named } = slack;
      const [, signingSecret] = SECRET_NAME.exec(typeof named === 'string' ? named.trim() : '') ?? [];
      if (signingSecret === undefined) return null;
      return {
        credentials: connection === undefined ? { credentials: credentials ?? '' } : { connection },
        signingSecret,
      };
    },

    /** Runs like an attempt of a node, so egress policy, hosts of secrets and redaction apply. */
    async call(
      ownerId: string,
      { credentials }: SlackAccount,
      operation: SlackOperation,
      data: JsonObject,
      { timeout, signal }: { timeout: number; signal?: AbortSignal },
    ): Promise<AttemptResult> {
      const compiled = compileListConfig(slackCall, { operation, ...credentials, data });
      return runner.run(
        createListAttempt(slackCall, ownerId, compiled, clock.now(), {
          timeout,
          ...(signal !== undefined && { onAbort: (listener) => onAbort(signal, listener) }),
        }),
      );
    },
  };
}

export type SlackAccounts = ReturnType<typeof createSlackAccounts>;
