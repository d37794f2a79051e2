import type { NodeType } from '../canvas/model/catalog.ts';
import type { Entry } from '../canvas/model/document.ts';
import { Alert } from '../ui/alert.tsx';
import { selectControl, listFields, type Schema } from './model/field.ts';
import { t } from '../i18n/index.ts';

/** What a type is for, what goes in and out, and what can be set. */
export function NodeAbout({ type, node }: { type: NodeType | undefined; node: Entry }) {
  if (type === undefined)
    return (
      <div className="panel__body">
        <Alert tone="bad">{t('Unknown node type: {{type}}', { type: node.type })}</Alert>
      </div>
    );
  const schema = type.config_schema as Schema;
  const control = selectControl(schema);
  const shapes =
    control.kind === 'variant'
      ? control.variants.map((variant) => ({ title: variant.label, fields: listFields(variant.schema) }))
      : [{ title: t('Settings'), fields: listFields(schema) }];
  return (
    <div className="panel__body about">
      <p className="panel__about">{type.description}</p>
      <Ports title={t('Inputs')} ports={type.inputs} none={t('None: this node starts the workflow.')} />
      <Ports title={t('Outputs')} ports={type.outputs} none={t('None: this node ends the workflow.')} />
      <p className="panel__about">
        {type.effects === 'external'
          ? t(
              'This node has side effects. It starts after all earlier results are saved, and may run again after a crash.',
            )
          : t('This node has no side effects.')}
      </p>
      {shapes.map(({ title, fields }) => (
        <section key={title}>
          <h3 className="panel__subtitle">{title}</h3>
          <dl className="about__fields">
            {fields.map((field) => (
              <div key={field.key}>
                <dt>
                  <code>{field.key}</code>
                  {field.isRequired && <span className="about__needed">{t('needed')}</span>}
                </dt>
                <dd>{field.description ?? `${field.label}.`}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className="field__hint">
        {type.id} {type.version}
      </p>
    </div>
  );
}

function Ports({
  title,
  ports,
  none,
}: {
  title: string;
  ports: readonly { name: string; type: string; description: string }[];
  none: string;
}) {
  return (
    <section>
      <h3 className="panel__subtitle">{title}</h3>
      {ports.length === 0 ? (
        <p className="field__hint">{none}</p>
      ) : (
        <dl className="about__fields">
          {ports.map((port) => (
            <div key={port.name}>
              <dt>
                <code>{port.name}</code>
              </dt>
              <dd>{port.description}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
