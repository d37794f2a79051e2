import { validationError, WeftError, type FieldError } from '../../contract/errors.ts';
import type { McpToolList } from '../../contract/ai/mcp.ts';
import type { NodeFailure } from '../../contract/node-type.ts';
import type { Principal } from '../../contract/principal.ts';
import { ListMcpToolsSchema } from '../../contract/requests/mcp.ts';
import { validate } from '../../contract/validate.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { listMcpTools } from '../../nodes/mcp/list-mcp-tools.ts';
import { validateConfig } from '../../nodes/validate-config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRunner } from '../../ports/runner.ts';
import { requireScope } from '../authorize.ts';
import { compileListConfig, createListAttempt } from '../list-attempt.ts';
import type { JsonRedactor } from '../credentials/redaction.ts';
import { mayUseSecrets } from '../workflows/secret-right.ts';

export type McpToolsDeps = {
  /** Runs the list with the secrets, egress policy and limits of a node. */
  runner: NodeRunner;
  clock: Pick<Clock, 'now'>;
  /** Returns the redactor for the owner's secrets. */
  loadRedactor: (ownerId: string) => Promise<JsonRedactor>;
};

export type McpTools = ReturnType<typeof createMcpTools>;

const LIST_TIMEOUT = '30s';

/** The tools of MCP servers, for the form of the node `mcp_tool`. */
export function createMcpTools({ runner, clock, loadRedactor }: McpToolsDeps) {
  return {
    /**
     * Lists the tools of a server. The scope `secrets:use` is needed to use a secret or a connection.
     * @throws {WeftError} VALIDATION_ERROR with the field, also when the server does not list its tools.
     */
    async list(principal: Principal, input: unknown): Promise<McpToolList> {
      requireScope(principal, 'workflows:write');
      const { refresh = false, ...given } = validate(ListMcpToolsSchema, input);
      const config = { ...given, refresh, timeout: LIST_TIMEOUT } as JsonObject;
      const errors = validateConfig(listMcpTools, config);
      if (errors.length > 0) throw validationError(errors);
      const compiled = compileListConfig(listMcpTools, config);
      if (compiled.errors.length > 0)
        throw validationError(
          compiled.errors.map(({ pointer, message }) => ({ field: pointer, issue: message })),
        );
      const [secret] = compiled.secretReads;
      const [connection] = listMcpTools.connections?.(config) ?? [];
      const field = secret?.pointer ?? connection?.field;
      if (field !== undefined && !mayUseSecrets(principal))
        throw new WeftError(
          'FORBIDDEN',
          `This credential lacks the scope secrets:use, which is needed to use a secret or a connection.`,
          { scope: 'secrets:use', field },
        );
      const { userId } = principal;
      const outcome = await runner.run(createListAttempt(listMcpTools, userId, compiled, clock.now()));
      if (outcome.kind === 'done') {
        const redact = await loadRedactor(userId);
        return redact(outcome.outputs['out'] as unknown as McpToolList);
      }
      if (outcome.kind === 'failed') throw validationError([toFieldError(outcome.error)]);
      throw new WeftError('STORAGE_UNAVAILABLE');
    },
  };
}

/** A failure without a field concerns the server. */
function toFieldError({ message, data }: NodeFailure): FieldError {
  const { field, issue } = isObject(data ?? null) ? (data as JsonObject) : {};
  return typeof field === 'string' && field !== '' && typeof issue === 'string'
    ? { field, issue }
    : { field: 'url', issue: `did not list its tools: ${message}` };
}
