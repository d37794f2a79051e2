import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { useForm, type ControlProps } from './form-context.ts';
import { t } from '../../i18n/index.ts';

const EXAMPLE = 'export default (input) => {\n  return { ...input };\n};';

export function CodeControl({ fieldPath, value, id, describedBy }: ControlProps) {
  const { change } = useForm();
  return (
    <CodeEditor
      id={id}
      describedBy={describedBy}
      label={t('Code')}
      language="javascript"
      placeholder={EXAMPLE}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => change(fieldPath, text)}
    />
  );
}
