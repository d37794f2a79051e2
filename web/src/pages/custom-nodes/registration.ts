import type { NodeDetail, RegisterNodeInput, TestNodeInput } from 'weft-client';
import { t } from '../../i18n/index.ts';

export const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'any'] as const;
export type FieldType = (typeof TYPES)[number];
export type FieldRow = { name: string; type: FieldType; required: boolean };

export type Registration = {
  nodeType: string;
  version: string;
  description: string;
  inputs: FieldRow[];
  outputs: FieldRow[];
  handler: string;
  /** JSON: packages by install path; empty for none. */
  dependencies: string;
};

const INITIAL_REGISTRATION: Registration = {
  nodeType: '',
  version: '1.0.0',
  description: '',
  inputs: [{ name: 'text', type: 'string', required: true }],
  outputs: [{ name: 'words', type: 'integer', required: false }],
  handler: [
    '// Called with the inputs by name; returns the outputs by name.',
    'export default function ({ text }) {',
    '  return { words: text.split(/\\s+/).filter(Boolean).length };',
    '}',
    '',
  ].join('\n'),
  dependencies: '',
};

const parseType = (text: string): FieldType => TYPES.find((type) => type === text) ?? 'any';

/** The ports that every custom node has in addition to its own. */
const COMMON_PORTS = new Set(['out', 'error']);

/** The initial values of the form: an example, or the latest version with its number incremented. */
export function createRegistration(node: NodeDetail | null): Registration {
  if (node === null) return INITIAL_REGISTRATION;
  const [major = '1', minor = '0', patch = '0'] = node.version.split('.');
  return {
    ...INITIAL_REGISTRATION,
    nodeType: node.id,
    version: `${major}.${minor}.${Number(patch) + 1}`,
    description: node.description,
    inputs: node.inputs.map(({ name, type, required }) => ({ name, type: parseType(type), required })),
    outputs: node.outputs
      .filter(({ name }) => !COMMON_PORTS.has(name))
      .map(({ name, type }) => ({ name, type: parseType(type), required: false })),
    handler: node.handler ?? '',
    dependencies: formatLock(node),
  };
}

function formatLock({ implementation }: NodeDetail): string {
  const packages = implementation?.dependencies ?? [];
  if (packages.length === 0) return '';
  const lock = packages.map(({ path, version, integrity }) => [path, { version, integrity }]);
  return JSON.stringify(Object.fromEntries(lock), null, 2);
}

/** @throws {Error} when the packages are not JSON. */
export function toRequestBody(form: Registration): RegisterNodeInput {
  const dropUnnamed = (rows: readonly FieldRow[]): FieldRow[] =>
    rows.filter(({ name }) => name.trim() !== '');
  return {
    nodeType: form.nodeType.trim(),
    version: form.version.trim(),
    description: form.description.trim(),
    inputs: Object.fromEntries(
      dropUnnamed(form.inputs).map(({ name, type, required }) => [name.trim(), { type, required }]),
    ),
    outputs: Object.fromEntries(dropUnnamed(form.outputs).map(({ name, type }) => [name.trim(), type])),
    implementation: {
      runtime: 'javascript',
      handler: form.handler,
      ...(form.dependencies.trim() === '' ? {} : { dependencies: parsePackages(form.dependencies) }),
    },
  };
}

/** @throws {Error} when the packages are not JSON. */
export function toTestBody(form: Registration, values: Record<string, unknown>): TestNodeInput {
  const { inputs, outputs, implementation } = toRequestBody(form);
  return { inputs, outputs, implementation, values };
}

const SAMPLES: Readonly<Record<FieldType, unknown>> = {
  string: 'some text',
  number: 1.5,
  integer: 1,
  boolean: true,
  object: {},
  array: [],
  any: null,
};

/** A value for each input, as JSON text. */
export function formatSampleInputs(inputs: readonly FieldRow[]): string {
  const named = inputs.filter(({ name }) => name.trim() !== '');
  const values = Object.fromEntries(named.map(({ name, type }) => [name.trim(), SAMPLES[type]]));
  return JSON.stringify(values, null, 2);
}

function parsePackages(text: string): NonNullable<RegisterNodeInput['implementation']['dependencies']> {
  try {
    return JSON.parse(text) as NonNullable<RegisterNodeInput['implementation']['dependencies']>;
  } catch (error) {
    throw new Error(error instanceof Error ? error.message : t('Not valid JSON'), { cause: error });
  }
}
