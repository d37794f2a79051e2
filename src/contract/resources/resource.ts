import { Type, type TProperties, type TSchema } from 'typebox';

/*
 * Building blocks of response schemas. A resource is closed and named: its name is the component's name in
 * the OpenAPI document and the type's name in GraphQL.
 */

/** An object type with a public name. */
export function defineResource<P extends TProperties>(title: string, description: string, properties: P) {
  return Type.Object(properties, { title, description, additionalProperties: false });
}

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

export const Text = (description?: string) => Type.String(described(description));
export const Count = (description?: string) => Type.Integer({ minimum: 0, ...described(description) });
export const OneOf = (values: readonly string[], description?: string) =>
  Type.Enum([...values], described(description));
/** Any JSON: user data, passed through unchanged. */
export const AnyJson = (description?: string) => Type.Unknown(described(description));
export const JsonObject = (description?: string) =>
  Type.Record(Type.String(), Type.Unknown(), described(description));
/** ISO 8601 in UTC with milliseconds and `Z`. */
export const Time = (description?: string) => Type.String({ format: 'date-time', ...described(description) });
/** Milliseconds. */
export const Milliseconds = (description?: string) =>
  Type.Integer({ minimum: 0, 'x-unit': 'ms', ...described(description) });

export const PaginationResource = defineResource('Pagination', 'The position of a page in a list.', {
  page: Type.Integer({ minimum: 1 }),
  limit: Type.Integer({ minimum: 1 }),
  total: Count('Number of items in the whole list.'),
  total_pages: Count(),
});

/** A response with one page of a list: `{ [name]: items, pagination }`. */
export function defineList(title: string, name: string, item: TSchema) {
  const properties: Record<string, TSchema> = { [name]: Type.Array(item), pagination: PaginationResource };
  return defineResource(title, 'One page of a list.', properties);
}

export const DoneResource = defineResource('Done', 'The request succeeded.', { success: Type.Literal(true) });
export const DeletedResource = defineResource('Deleted', 'The resource was deleted.', {
  id: Text(),
  deleted: Type.Literal(true),
});
export const DeletedByNameResource = defineResource('DeletedByName', 'The resource was deleted.', {
  name: Text(),
  deleted: Type.Literal(true),
});

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
