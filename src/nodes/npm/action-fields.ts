import type { NpmOperation, NpmUsableTrigger } from '../../contract/packs/npm-packs.ts';
import type { NpmProperty } from '../../contract/packs/npm-properties.ts';

/** Fields of the configuration that belong to the node itself. */
const RESERVED = [
  'operation',
  'authentication',
  'timeout',
  'retryPolicy',
  '__proto__',
  'constructor',
  'prototype',
];

export type PropertyField = { readonly field: string; readonly property: NpmProperty };

const cache = new WeakMap<NpmOperation, readonly PropertyField[]>();

/** The fields of the configuration that an action has. */
export function listActionFields(operation: NpmOperation): readonly PropertyField[] {
  let fields = cache.get(operation);
  if (fields === undefined) {
    fields = nameFields(operation.properties, RESERVED);
    cache.set(operation, fields);
  }
  return fields;
}

/** Fields of the configuration of a trigger that belong to the node itself. */
const RESERVED_BY_TRIGGERS = [
  ...RESERVED,
  'event',
  'triggerType',
  'interval',
  'cron',
  'timezone',
  'key',
  'maxItems',
];

/** The fields of the configuration that a trigger has. */
export function listTriggerFields({
  properties,
}: Pick<NpmUsableTrigger, 'properties'>): readonly PropertyField[] {
  return nameFields(properties, RESERVED_BY_TRIGGERS);
}

/**
 * Names a field for each property: its own name, without characters that paths cannot contain, and with a
 * number when that name is taken.
 */
export function nameFields(
  properties: readonly NpmProperty[],
  reserved: readonly string[] = ['__proto__', 'constructor', 'prototype'],
): readonly PropertyField[] {
  const taken = new Set(reserved);
  return properties.map((property) => {
    const plain = property.name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || 'field';
    let field = plain;
    for (let number = 2; taken.has(field); number++) field = `${plain}_${number}`;
    taken.add(field);
    return { field, property };
  });
}
