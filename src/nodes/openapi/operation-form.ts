import { Type, type TObject, type TSchema } from 'typebox';
import type { OpenApiManifest, OpenApiOperation, PackParameter } from '../../contract/packs/packs.ts';
import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { classifyMediaType, parseMediaType } from '../../lib/network/media-type.ts';
import { authenticationSchema } from '../http/authentication.ts';
import { HttpRequestConfig } from '../http/request-config.ts';
import { httpResult } from '../http/response.ts';
import { output } from '../output-schema.ts';
import { closed } from '../schema.ts';
import { ui } from '../ui-hints.ts';
import { listApiKeyFields, listParameterFields } from './fields.ts';

/** Orders of the fields in the form: parameters and the body follow each other, required ones first. */
const FIRST_PARAMETER = 10;
const AFTER_PARAMETERS = 1_000;
/** Media types of a form body. */
const FORM_TYPE = /^(?:application\/x-www-form-urlencoded$|multipart\/)/;

/** Creates the form of an operation: a variant of the configuration of its node type. */
export function createOperationForm(manifest: OpenApiManifest, operation: OpenApiOperation): TObject {
  const { id, title, description, deprecated } = operation;
  const shared = sharedFields(manifest);
  const { pagination, ...others } = shared.options;
  return closed(
    {
      operation: Type.Literal(id),
      baseUrl: baseUrlField(manifest, operation),
      ...Object.fromEntries(sortFields(operation)),
      ...shared.credentials,
      ...(operation.method === 'GET' ? { pagination } : {}),
      ...others,
    },
    {
      title,
      ...(description === '' ? {} : { description }),
      ...(deprecated ? { deprecated: true } : {}),
      ...output(createOutputSchema(operation)),
    },
  );
}

/** The result of http_request, with the body as the document describes it. */
function createOutputSchema({ response }: OpenApiOperation): TSchema {
  const { status, headers } = httpResult.properties;
  const body = Type.Unsafe<Json>(response?.schema ?? {});
  return Type.Object({ status, headers, body });
}

/** Required fields first, in the order of the document. */
function sortFields(operation: OpenApiOperation): [string, TSchema][] {
  const fields = listParameterFields(operation).map(({ field, parameter }) => ({
    field,
    isRequired: parameter.required,
    schema: parameterSchema(parameter),
  }));
  if (operation.body !== null)
    fields.push({ field: 'body', isRequired: operation.body.required, schema: bodySchema(operation) });
  return fields
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
    .map(({ field, isRequired, schema }, i): [string, TSchema] => {
      const isBody = field === 'body';
      const made = withHints(schema, {
        order: FIRST_PARAMETER + i,
        // The body is what an operation is about, even if the document does not require it.
        ...(isRequired || isBody ? {} : { advanced: true }),
      });
      return [field, isRequired ? made : Type.Optional(made)];
    });
}

function withHints(schema: JsonObject, hints: Parameters<typeof ui>[0]): TSchema {
  const [example] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  const placeholder = typeof example === 'string' || typeof example === 'number' ? String(example) : '';
  return Type.Unsafe<Json>({
    ...schema,
    ...ui({ ...hints, ...(placeholder === '' || schema['default'] !== undefined ? {} : { placeholder }) }),
  });
}

function parameterSchema({ name, schema, deprecated }: PackParameter): JsonObject {
  return { title: name, ...schema, ...(deprecated ? { deprecated: true } : {}) };
}

function bodySchema({ body }: OpenApiOperation): JsonObject {
  if (body === null) return {};
  const { contentType, schema } = body;
  const title = { title: 'Body' };
  const type = parseMediaType(contentType);
  const { description } = schema;
  const notes = typeof description === 'string' ? { description } : {};
  if (FORM_TYPE.test(type)) {
    const form = isObject(schema['properties']) ? schema : { ...notes, type: 'object' };
    return { ...title, ...withAdvancedFields(form) };
  }
  if (classifyMediaType(type) === 'json') return { ...title, ...withAdvancedFields(schema) };
  // The schema describes what the text means (XML), or the file.
  const hint = `${typeof description === 'string' ? `${description} ` : ''}A string or a file ({"$file": …}) of type ${type}.`;
  return { ...title, description: hint };
}

/** Offers the optional fields of a body on demand, if it also has required ones. */
function withAdvancedFields(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required) || required.length === 0) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        required.includes(name) || !isObject(field) ? field : { ...field, ...ui({ advanced: true }) },
      ]),
    ) as JsonObject,
  };
}

function baseUrlField(manifest: OpenApiManifest, operation: OpenApiOperation): TSchema {
  const servers = operation.servers ?? manifest.servers;
  const [first] = servers;
  const others = servers.slice(1).map(({ url }) => url);
  const schema = Type.String({
    minLength: 1,
    title: 'Server',
    description: `The URL of the API${others.length === 0 ? '' : `, such as ${others.slice(0, 5).join(', ')}`}.`,
    ...(first === undefined
      ? ui({ order: 1, placeholder: 'https://api.example.com' })
      : { default: first.url, ...ui({ order: AFTER_PARAMETERS + 2, advanced: true }) }),
  });
  return first === undefined ? schema : Type.Optional(schema);
}

type Shared = { credentials: Record<string, TSchema>; options: typeof optionFields };

const { pagination, responses, responseType, idleTimeout, proxy } = HttpRequestConfig.properties;
const optionFields = { pagination, responses, responseType, idleTimeout, proxy };

const sharedByManifest = new WeakMap<OpenApiManifest, Shared>();

/** The fields that all operations of an API have, as the same objects. */
function sharedFields(manifest: OpenApiManifest): Shared {
  let shared = sharedByManifest.get(manifest);
  if (shared === undefined) {
    shared = { credentials: credentialFields(manifest), options: optionFields };
    sharedByManifest.set(manifest, shared);
  }
  return shared;
}

/** Values of API keys; and the authentication of http_request, with what the document states first. */
function credentialFields(manifest: OpenApiManifest): Record<string, TSchema> {
  const keys = listApiKeyFields(manifest);
  const order = AFTER_PARAMETERS;
  const fields: Record<string, TSchema> = {
    authentication: Type.Optional(
      Type.Unsafe<Json>({ ...sortAuthentication(manifest), ...ui({ order: order + 1, hint: '' }) }),
    ),
  };
  if (keys.length === 0) return fields;
  return {
    apiKeys: Type.Optional(
      closed(
        Object.fromEntries(
          keys.map(({ field, scheme }) => [
            field,
            Type.Optional(
              Type.String({
                minLength: 1,
                title: scheme.id,
                description:
                  scheme.description === ''
                    ? `Sent as ${scheme.name} in the ${scheme.in}.`
                    : scheme.description,
                ...ui({ control: 'secret' }),
              }),
            ),
          ]),
        ),
        {
          title: 'API keys',
          description: 'Values of the API keys. Use secrets as {{ secrets.NAME }}.',
          ...ui({ order }),
        },
      ),
    ),
    ...fields,
  };
}

function sortAuthentication({ securitySchemes }: OpenApiManifest): JsonObject {
  const stated: readonly string[] = securitySchemes.map(({ kind }) => kind);
  const { oneOf, ...rest } = authenticationSchema as unknown as JsonObject;
  const rank = (variant: Json): number => {
    const properties = isObject(variant) ? variant['properties'] : undefined;
    const type = isObject(properties) && isObject(properties['type']) ? properties['type']['const'] : '';
    // A connection can be of each kind, API keys included.
    if (type === 'connection') return -1;
    const at = typeof type === 'string' ? stated.indexOf(type) : -1;
    return at === -1 ? stated.length : at;
  };
  return { ...rest, oneOf: (Array.isArray(oneOf) ? oneOf : []).toSorted((a, b) => rank(a) - rank(b)) };
}
