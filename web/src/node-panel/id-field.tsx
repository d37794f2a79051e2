import { useState } from 'react';
import type { NodePanelProps } from '../canvas/panel/node-panel-props.ts';
import { findIdError } from '../canvas/model/edit/edit-nodes.ts';
import { Field, Input } from '../ui/field.tsx';
import { t } from '../i18n/index.ts';

/** The id of a node; everything that names it follows when it gets another. */
export function IdField({ node, editor, onRename }: Pick<NodePanelProps, 'node' | 'editor' | 'onRename'>) {
  const [text, setText] = useState(node.id);
  const problem = text === node.id ? null : findIdError(editor.doc(), text, node.id);
  const keep = (): void => {
    if (text !== node.id && problem === null) onRename(node.id, text);
  };
  return (
    <Field
      label={t('ID')}
      hint={t('Use it in templates as {{sample}}', { sample: `{{ nodes.${node.id} }}` })}
      error={problem}
    >
      {(control) => (
        <Input
          {...control}
          className="input--mono"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={keep}
          onKeyDown={({ key }) => {
            if (key === 'Enter') keep();
          }}
        />
      )}
    </Field>
  );
}
