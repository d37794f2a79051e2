import { Type } from 'typebox';
import { errorCatalogue } from '../errors.ts';
import { JsonObject, OneOf, Text, resource } from './resource.ts';

/** The body of every error, on every door. */
export const ErrorBodyResource = resource('Error', 'Why a request was refused or failed.', {
  error: resource('ErrorBody', 'What went wrong.', {
    code: OneOf(Object.keys(errorCatalogue)),
    message: Text('For people.'),
    details: Type.Unsafe<Record<string, unknown>>(
      JsonObject('Empty where there is nothing to say; of a `VALIDATION_ERROR`: `field`, `issue`, `errors`.'),
    ),
  }),
});
