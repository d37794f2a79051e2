import { Type } from 'typebox';
import { errorCatalog } from '../errors.ts';
import { JsonObject, OneOf, Text, defineResource } from './resource.ts';

/** The body of every error, in every API. */
export const ErrorBodyResource = defineResource('Error', 'An error response.', {
  error: defineResource('ErrorBody', 'What went wrong.', {
    code: OneOf(Object.keys(errorCatalog)),
    message: Text('For people.'),
    details: Type.Unsafe<Record<string, unknown>>(
      JsonObject('May be empty; `field`, `issue` and `errors` for a `VALIDATION_ERROR`.'),
    ),
  }),
});
