import { readChatModel, type ChatModel } from '../../contract/ai/chat-model.ts';
import { readChatPage, type ChatPage } from '../../contract/chat/chat-page.ts';
import type { Connection, Definition } from '../../contract/definition.ts';
import { createNamedEndpoints, type NamedEndpointsDeps } from '../triggers/named-endpoints.ts';
import { CHAT_METHOD } from '../webhooks/webhook-endpoint.ts';

/**
 * A model, and the types of the nodes whose output is the output of the workflow, by id: their texts are the
 * response.
 */
export type ChatTarget = ChatModel & {
  readonly finalNodes: ReadonlyMap<string, string>;
  /** Null: the trigger has no page. */
  readonly page: ChatPage | null;
};

/** The models of active workflows. */
export function createChatRegistry(deps: NamedEndpointsDeps) {
  return createNamedEndpoints(deps, CHAT_METHOD, 'model', (config, definition): ChatTarget => ({
    ...readChatModel(config),
    finalNodes: findFinalNodes(definition),
    page: readChatPage(config),
  }));
}

export type ChatRegistry = ReturnType<typeof createChatRegistry>;

/** Ports by which a node continues when it has no result of its own. */
const OTHER_PORTS = new Set(['error', 'limit']);

const isResult = ({ sourcePort }: Connection): boolean => !OTHER_PORTS.has(sourcePort ?? 'out');

/** The nodes from whose result no connection leads on. */
function findFinalNodes({ nodes, connections }: Definition): Map<string, string> {
  const continued = new Set(connections.filter(isResult).map(({ from }) => from));
  return new Map(nodes.filter(({ id }) => !continued.has(id)).map(({ id, type }) => [id, type]));
}
