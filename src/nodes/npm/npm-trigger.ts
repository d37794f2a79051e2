import { HttpFailure, type NodeContext, type NodeType, type Outcome } from '../../contract/node-type.ts';
import {
  CALL_TIMEOUT_MS,
  listUsableTriggers,
  type NpmManifest,
  type NpmUsableTrigger,
} from '../../contract/packs/npm-packs.ts';
import type { PackTriggerCall } from '../../contract/packs/pack-call.ts';
import { packTriggerType } from '../../contract/packs/packs.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { listNamedConnections } from '../http/authentication.ts';
import { done, invalid } from '../outcome.ts';
import { tagged } from '../schema.ts';
import { validateSchedule } from '../triggers/schedule-check.ts';
import { createTriggerForm } from './action-form.ts';
import { listTriggerFields } from './action-fields.ts';
import { loadAuthentication } from './authentication.ts';
import { FieldFailure, readProps, type InputFiles } from './read-props.ts';

/**
 * Creates the node type of the triggers of a package: a variant for each one that can start workflows. Null:
 * it has none. The polling service runs a trigger, as the node type that `packTrigger.createCall` returns.
 */
export function createNpmTrigger(manifest: NpmManifest): NodeType | null {
  const triggers = listUsableTriggers(manifest);
  if (triggers.length === 0) return null;
  const fields = new Set(triggers.flatMap((one) => listTriggerFields(one).map(({ field }) => field)));
  const webhooks = new Map(
    triggers.flatMap(({ id, strategy, handshake, renewal }) =>
      strategy === 'polling' ? [] : [[id, { strategy, handshake, renewal }] as const],
    ),
  );
  const type = defineNode({
    type: packTriggerType(manifest),
    version: manifest.version,
    name: `${manifest.title} trigger`,
    category: 'trigger',
    description: `Starts an execution for each new item of ${manifest.title}, which the package ${manifest.package.name} finds by polling or receives.`,
    icon: 'package',
    keywords: [manifest.package.name, ...triggers.map(({ title }) => title)],
    config: tagged(
      'event',
      triggers.map((trigger) => createTriggerForm(manifest, trigger)),
      { title: 'Event' },
    ),
    templates: {
      ...Object.fromEntries(
        ['event', 'interval', 'cron', 'timezone', 'key', 'maxItems'].map((name) => [
          name,
          'literal' as const,
        ]),
      ),
      'authentication.type': 'literal',
      'authentication.connection': 'literal',
      'authentication.credential': 'literal',
    },
    outputs: [
      {
        name: 'out',
        type: 'object',
        description: 'The item: {item, key, polled_at}, or {item, key, received_at} if the service sends it',
      },
    ],
    effects: 'none',
    isTrigger: true,
    secrets: {
      authentication: 'request',
      ...Object.fromEntries([...fields].map((field) => [field, 'request'] as const)),
    },
    connections: listNamedConnections,
    check: (config) => {
      const { event } = config as JsonObject;
      return typeof event === 'string' && webhooks.has(event) ? [] : validateSchedule(config as JsonObject);
    },
    examples: [],
  });
  return Object.freeze({
    ...type,
    packTrigger: {
      pack: manifest.name,
      webhooks,
      createCall: (call: PackTriggerCall): NodeType => ({
        ...type,
        effects: 'external',
        timeout: CALL_TIMEOUT_MS,
        run: (ctx, config) => runTrigger(ctx, manifest, triggers, config as JsonObject, call),
      }),
    },
  });
}

async function runTrigger(
  ctx: NodeContext,
  manifest: NpmManifest,
  triggers: readonly NpmUsableTrigger[],
  config: JsonObject,
  call: PackTriggerCall,
): Promise<Outcome> {
  const trigger = triggers.find(({ id }) => id === config['event']);
  if (trigger === undefined) return invalid('event', 'must be a trigger of this version');
  const files: InputFiles = new Map();
  try {
    const auth = await loadAuthentication(ctx, manifest, config['authentication'] ?? null);
    if ('issue' in auth) return invalid(auth.field, auth.issue);
    const { name, version } = manifest;
    const result = await ctx.packs.run({
      pack: { name, version, integrity: manifest.package.integrity },
      operation: trigger.id,
      trigger: call,
      auth: auth.value,
      props: await readProps(ctx, listTriggerFields(trigger), config, '', files),
      files,
    });
    return result.kind === 'value' ? done(result.value) : { kind: 'failed', error: result.error };
  } catch (error) {
    if (error instanceof FieldFailure) return invalid(error.field, error.message);
    if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
    throw error;
  }
}
