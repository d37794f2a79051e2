import type { FormField } from '../../contract/forms/form.ts';

/** The id of the control of a field. Names of fields are letters, digits and "_". */
export const formatControlId = ({ name }: Pick<FormField, 'name'>): string => `f-${name}`;
export const formatOptionId = (field: Pick<FormField, 'name'>, index: number): string =>
  `${formatControlId(field)}-${index + 1}`;
