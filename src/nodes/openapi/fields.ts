import type { OpenApiManifest, OpenApiOperation, PackParameter } from '../../contract/packs/packs.ts';

/** Fields of the configuration that are no parameters. */
const RESERVED = new Set([
  'operation',
  'baseUrl',
  'body',
  'apiKeys',
  'authentication',
  'pagination',
  'responses',
  'responseType',
  'idleTimeout',
  'proxy',
  'timeout',
  'retryPolicy',
  '__proto__',
  'constructor',
  'prototype',
]);

export type ParameterField = { readonly field: string; readonly parameter: PackParameter };

const cache = new WeakMap<OpenApiOperation, readonly ParameterField[]>();

/**
 * The fields of the parameters of an operation. A field has the name of its parameter, without characters
 * that paths cannot contain; with its location, such as `timeout_query`, when the name is taken.
 */
export function listParameterFields(operation: OpenApiOperation): readonly ParameterField[] {
  let fields = cache.get(operation);
  if (fields === undefined) {
    const taken = new Set(RESERVED);
    fields = operation.parameters.map((parameter) => ({ field: claim(parameter, taken), parameter }));
    cache.set(operation, fields);
  }
  return fields;
}

function claim({ name, in: location }: PackParameter, taken: Set<string>): string {
  return claimName(toFieldName(name), location, taken);
}

function claimName(plain: string, suffix: string, taken: Set<string>): string {
  let field = taken.has(plain) ? `${plain}_${suffix}` : plain;
  for (let number = 2; taken.has(field); number++) field = `${plain}_${suffix}_${number}`;
  taken.add(field);
  return field;
}

function toFieldName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return plain === '' ? 'parameter' : plain;
}

export type ApiKeyField = {
  readonly field: string;
  readonly scheme: Extract<OpenApiManifest['securitySchemes'][number], { kind: 'api_key' }>;
};

/** The fields of `apiKeys`, one for each API key of the API. */
export function listApiKeyFields({ securitySchemes }: OpenApiManifest): ApiKeyField[] {
  const taken = new Set(['__proto__', 'constructor', 'prototype']);
  return securitySchemes.flatMap((scheme) =>
    scheme.kind === 'api_key' ? [{ field: claimName(toFieldName(scheme.id), 'key', taken), scheme }] : [],
  );
}
