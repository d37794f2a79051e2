import type { TSchema } from 'typebox';

/** The parts of JSON Schema that the contract uses. */
export type Shape = {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly 'x-unit'?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Shape;
};

export function toShape(schema: TSchema): Shape {
  return schema;
}

/** Removes the `null` alternative from a shape. */
export function withoutNull(shape: Shape): { shape: Shape; isNullable: boolean } {
  if (shape.anyOf === undefined) return { shape, isNullable: false };
  const others = shape.anyOf.filter((each) => each.type !== 'null');
  const only = others.length === 1 ? others[0] : undefined;
  const isNullable = others.length < shape.anyOf.length;
  if (only === undefined) return { shape: {}, isNullable: true };
  const { description } = shape;
  return { shape: description === undefined ? only : { ...only, description }, isNullable };
}

/** The description with the allowed values, because enumerations are strings in GraphQL. */
export function describe(shape: Shape): string | undefined {
  const values = readValues(shape);
  if (values === null) return shape.description;
  const list = `One of: ${values.map((each) => `\`${String(each)}\``).join(', ')}.`;
  return shape.description === undefined ? list : `${shape.description} ${list}`;
}

function readValues(shape: Shape): readonly unknown[] | null {
  const inner = withoutNull(shape).shape;
  return inner.enum ?? inner.items?.enum ?? null;
}
