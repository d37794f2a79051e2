/** A template that cannot be compiled. `position` is an offset in its text. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly position: number;
  constructor(message: string, position = 0) {
    super(message);
    this.position = position;
  }
}

/**
 * Why an evaluation failed: a missing path, an invalid value, or a limit (which the template cannot catch).
 */
export type EvaluationErrorKind = 'missing' | 'value' | 'limit';

/**
 * A template that met data it cannot use. `path` is the missing path, when that is the reason; `field` is the
 * field of the configuration that holds the template, when it is part of one. The message never holds a value
 * of the data or of a secret.
 */
export class TemplateEvaluationError extends Error {
  override readonly name = 'TemplateEvaluationError';
  readonly kind: EvaluationErrorKind;
  readonly path: string | undefined;
  readonly field: string | undefined;
  constructor(
    message: string,
    kind: EvaluationErrorKind = 'value',
    where: { path?: string; field?: string } = {},
  ) {
    super(message);
    this.kind = kind;
    this.path = where.path;
    this.field = where.field;
  }

  /** The same error, with a field of the configuration. */
  at(field: string): TemplateEvaluationError {
    return new TemplateEvaluationError(this.message, this.kind, {
      field,
      ...(this.path !== undefined && { path: this.path }),
    });
  }
}

/** The error of a value that cannot be inserted. `name` is the parameter, `pointer` the field. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
  readonly parameter: string;
  readonly pointer: string;
  constructor(message: string, parameter: string, pointer: string) {
    super(message);
    this.parameter = parameter;
    this.pointer = pointer;
  }
}

/** The body would be larger than allowed. */
export class ParametersTooLargeError extends Error {
  override readonly name = 'ParametersTooLarge';
}
