/** A template that cannot be compiled. `position` is an offset in its text. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly position: number;
  constructor(message: string, position = 0) {
    super(message);
    this.position = position;
  }
}

/** Why an evaluation failed: a path leads nowhere, a value does not fit, or a limit was met (which nothing in the template may catch). */
export type EvaluationFault = 'missing' | 'value' | 'limit';

/**
 * A template that met data it cannot use. `path` is the missing path, when that is the reason; `field` is the field of the
 * configuration that holds the template, when it is part of one. The message never holds a value of the data or of a secret.
 */
export class TemplateEvaluationError extends Error {
  override readonly name = 'TemplateEvaluationError';
  readonly fault: EvaluationFault;
  readonly path: string | undefined;
  readonly field: string | undefined;
  constructor(
    message: string,
    fault: EvaluationFault = 'value',
    where: { path?: string; field?: string } = {},
  ) {
    super(message);
    this.fault = fault;
    this.path = where.path;
    this.field = where.field;
  }

  /** The same fault, told of a field of the configuration. */
  at(field: string): TemplateEvaluationError {
    return new TemplateEvaluationError(this.message, this.fault, {
      field,
      ...(this.path !== undefined && { path: this.path }),
    });
  }
}
