import { useForm, type FieldProps } from '../form/form-context.ts';
import { LoadedChoice } from './loaded-choice.tsx';
import { LoadedFields } from './loaded-fields.tsx';
import type { ChoiceSource } from './choice-source.ts';

/** A field whose choices, or whose own fields, a service loads. */
export function LoadedField({ of, ...props }: FieldProps & { of: 'choice' | 'choices' | 'fields' }) {
  const { choiceSource } = useForm();
  const source = choiceSource ?? NO_SOURCE;
  return of === 'fields' ? (
    <LoadedFields {...props} source={source} />
  ) : (
    <LoadedChoice {...props} source={source} isList={of === 'choices'} />
  );
}

/** Is never asked. */
const NO_SOURCE: ChoiceSource = { pack: null, isReady: false, config: {} };
