/** A schema that cannot be used; the message is the reason. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Thrown during validation if the schema needs more work than allowed or recurses without end. */
export class SchemaWorkError extends Error {
  override readonly name = 'SchemaWorkError';
}
