import { Type } from 'typebox';

/** A name for display: visible characters, without control characters or line breaks. */
export const DisplayName = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: String.raw`^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f\u2028\u2029]*$`,
    'x-issue': `must be 1 to ${maxLength} characters, not only spaces, without control characters`,
  });

/** A display name that may be empty. */
export const OptionalName = (maxLength: number) =>
  Type.String({
    maxLength,
    pattern: String.raw`^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$`,
    'x-issue': `must be at most ${maxLength} characters, without control characters`,
  });
