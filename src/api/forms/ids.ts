import type { FormField } from '../../contract/forms/form.ts';

/** The id of the control of a field. Names of fields are letters, digits and "_". */
export const controlId = ({ name }: Pick<FormField, 'name'>): string => `f-${name}`;
export const optionId = (field: Pick<FormField, 'name'>, index: number): string =>
  `${controlId(field)}-${index + 1}`;
