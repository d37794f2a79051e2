import type { Control, Names } from '../model/field.ts';
import { CodeControl } from './code-control.tsx';
import { CredentialNameControl, SecretTemplateControl } from './credential-controls.tsx';
import { useForm, type Choice, type ControlProps } from './form-context.ts';
import {
  ChoiceControl,
  DurationControl,
  NameControl,
  NumberControl,
  SwitchControl,
  TextControl,
  ValueControl,
} from './scalar-controls.tsx';
import { t } from '../../i18n/index.ts';

type Scalar = Exclude<
  Control,
  { kind: 'loaded' | 'list' | 'map' | 'group' | 'variant' | 'condition' | 'json-schema' }
>;

/** The control of a value without fields. */
export function SchemaControl({ control, ...props }: ControlProps & { control: Scalar }) {
  const form = useForm();
  switch (control.kind) {
    case 'text':
      return <TextControl {...props} isLong={control.isLong} />;
    case 'path':
      return <TextControl {...props} isLong={false} isPath takesList={control.takesList} />;
    case 'code':
      return <CodeControl {...props} />;
    case 'duration':
      return <DurationControl {...props} />;
    case 'number':
      return <NumberControl {...props} isWhole={control.isWhole} />;
    case 'switch':
      return <SwitchControl {...props} />;
    case 'choice':
      return <ChoiceControl {...props} options={control.options} />;
    case 'secret-template':
      return <SecretTemplateControl {...props} />;
    case 'name': {
      if (control.of === 'secret' || control.of === 'connection')
        return <CredentialNameControl {...props} kind={control.of} />;
      const offered: Record<
        Exclude<Names, 'secret' | 'connection'>,
        { choices: readonly Choice[]; empty: string }
      > = {
        node: { choices: form.nodes, empty: t('No other nodes') },
        workflow: { choices: form.workflows, empty: t('No other workflows') },
      };
      return <NameControl {...props} {...offered[control.of]} />;
    }
    case 'value':
      return <ValueControl {...props} />;
  }
}
