/** A schema that cannot be used; the message says why. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Thrown while a value is checked: the schema asks for more work than is allowed, or for a recursion without end. */
export class SchemaWorkError extends Error {
  override readonly name = 'SchemaWorkError';
}
