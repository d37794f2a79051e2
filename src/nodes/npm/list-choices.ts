import { Type } from 'typebox';
import { HttpFailure, type NodeContext, type NodeType, type Outcome } from '../../contract/node-type.ts';
import type { NpmManifest, NpmOperation, NpmUsableTrigger } from '../../contract/packs/npm-packs.ts';
import type { LoadedPackChoices, PackChoices } from '../../contract/packs/pack-choices.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { listNamedConnections } from '../http/authentication.ts';
import { done, invalid } from '../outcome.ts';
import { closed } from '../schema.ts';
import { listActionFields, listTriggerFields, type PropertyField } from './action-fields.ts';
import { createAuthenticationField, createLoadedForm } from './action-form.ts';
import { loadAuthentication } from './authentication.ts';
import { FieldFailure, readProps } from './read-props.ts';

/** A field of an action or of a trigger whose choices are loaded. */
export type ChoiceSource =
  | { readonly of: 'action'; readonly item: NpmOperation }
  | { readonly of: 'trigger'; readonly item: NpmUsableTrigger };

/** The fields of the configuration that an action or a trigger has. */
export function listChoiceFields(source: ChoiceSource): readonly PropertyField[] {
  return source.of === 'action' ? listActionFields(source.item) : listTriggerFields(source.item);
}

/**
 * Creates the node type that loads the choices of a field. It is not in the catalog: the service of the
 * choices runs it as a node, so that the same secrets, egress policy and limits apply. Its configuration is
 * `{authentication, values}`, its output a PackChoices.
 */
export function createChoicesNode(
  manifest: NpmManifest,
  source: ChoiceSource,
  { property }: PropertyField,
  search: string,
): NodeType {
  // Files belong to an execution, and there is none.
  const fields = listChoiceFields(source).filter((one) => one.property.kind !== 'file');
  const authentication = createAuthenticationField(manifest.securitySchemes);
  return defineNode({
    type: 'list_pack_choices',
    version: '1.0.0',
    name: 'List choices of a pack',
    category: 'connector',
    description: 'Loads the choices of a field from the service of a pack.',
    icon: 'package',
    config: closed({
      ...(authentication === null ? {} : { authentication: Type.Optional(authentication) }),
      values: closed(
        Object.fromEntries(fields.map(({ field }) => [field, Type.Optional(Type.Unsafe<Json>({}))])),
      ),
    }),
    templates: {
      'authentication.type': 'literal',
      'authentication.connection': 'literal',
      'authentication.credential': 'literal',
    },
    outputs: [{ name: 'out', type: 'object', description: 'A PackChoices' }],
    effects: 'external',
    secrets: { authentication: 'request', values: 'request' },
    connections: listNamedConnections,
    async run(ctx, config): Promise<Outcome> {
      const { authentication: given = null, values } = config as {
        authentication?: Json;
        values: JsonObject;
      };
      try {
        const auth = await loadAuthentication(ctx, manifest, given);
        if ('issue' in auth) return invalid(auth.field, auth.issue);
        const result = await loadChoices(ctx, manifest, {
          operation: source.item.id,
          choices: { of: source.of, property: property.name, search },
          auth: auth.value,
          props: await readProps(ctx, fields, values, 'values.', new Map()),
        });
        if (result.kind === 'failed') return { kind: 'failed', error: result.error };
        return done(toChoices(result.value as unknown as LoadedPackChoices) as unknown as Json);
      } catch (error) {
        if (error instanceof FieldFailure) return invalid(error.field, error.message);
        if (error instanceof HttpFailure) return { kind: 'failed', error: error.failure };
        throw error;
      }
    },
    examples: [],
  });
}

type Call = Pick<Parameters<NodeContext['packs']['run']>[0], 'operation' | 'choices' | 'auth' | 'props'>;

function loadChoices({ packs }: NodeContext, manifest: NpmManifest, call: Call) {
  const { name, version } = manifest;
  const pack = { name, version, integrity: manifest.package.integrity };
  return packs.run({ pack, ...call, files: new Map() });
}

function toChoices(loaded: LoadedPackChoices): PackChoices {
  return loaded.kind === 'options'
    ? loaded
    : { kind: 'fields', configSchema: createLoadedForm(loaded.properties) as unknown as JsonObject };
}
