import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';
import {
  getDescription,
  createEmptyValue,
  formatLabel,
  selectControl,
  type Field,
  type Schema,
} from '../model/field.ts';
import { moveItem } from '../model/field-path.ts';
import { useForm } from './form-context.ts';
import { Section, type SectionProps } from './section.tsx';
import { toSentenceCase, language, t } from '../../i18n/index.ts';

/** Controls with a header of their own, in which the buttons of an item are placed. */
const SECTIONS: ReadonlySet<string> = new Set(['list', 'map', 'group', 'variant', 'condition']);

/** An ordered list of items. */
export function ListControl({ item, ...frame }: SectionProps & { item: Schema }) {
  const { change, Row } = useForm();
  const { title, fieldPath, value, isRequired } = frame;
  const items: readonly unknown[] = Array.isArray(value) ? (value as unknown[]) : [];
  const one = toSingular(title);
  const kind = SECTIONS.has(selectControl(item, '').kind) ? 'section' : 'field';
  const put = (next: readonly unknown[]): void =>
    change(fieldPath, next.length === 0 && !isRequired ? undefined : next);
  return (
    <Section
      {...frame}
      summary={String(items.length)}
      isSet={isRequired || value !== undefined}
      onAdd={() => change(fieldPath, [createEmptyValue(item)])}
      onRemove={isRequired ? undefined : () => change(fieldPath, undefined)}
    >
      {items.map((each, index) => (
        <div className={`item item--${kind}`} key={index}>
          <div className="item__field">
            <Row
              field={createField(item, `${one} ${index + 1}`)}
              fieldPath={[...fieldPath, index]}
              value={each}
            />
          </div>
          <div className="item__tools">
            <IconButton
              size="small"
              icon={<ArrowUp size={13} />}
              label={t('Move {{entry}} {{number}} up', { entry: toSentenceCase(one), number: index + 1 })}
              disabled={index === 0}
              onClick={() => put(moveItem(items, index, index - 1))}
            />
            <IconButton
              size="small"
              icon={<ArrowDown size={13} />}
              label={t('Move {{entry}} {{number}} down', { entry: toSentenceCase(one), number: index + 1 })}
              disabled={index === items.length - 1}
              onClick={() => put(moveItem(items, index, index + 1))}
            />
            <IconButton
              size="small"
              icon={<Trash2 size={13} />}
              label={t('Remove {{entry}} {{number}}', { entry: toSentenceCase(one), number: index + 1 })}
              onClick={() => put(items.filter((_, i) => i !== index))}
            />
          </div>
        </div>
      ))}
      <Button
        size="small"
        variant="quiet"
        icon={<Plus size={14} />}
        onClick={() => put([...items, createEmptyValue(item)])}
      >
        {t('Add {{entry}}', { entry: toSentenceCase(one) })}
      </Button>
    </Section>
  );
}

/** An item as a field, titled by its position. */
export function createField(schema: Schema, label: string): Field {
  return {
    key: '',
    label,
    description: getDescription(schema),
    isRequired: true,
    default: schema.default,
    schema,
    ui: schema['x-ui'] ?? {},
  };
}

/** The title of one list entry. Only English titles have a regular singular. */
export function toSingular(title: string): string {
  if (language !== 'en') return t('Entry');
  const label = formatLabel(title);
  if (/ies$/i.test(label)) return `${label.slice(0, -3)}y`;
  if (/(?:ch|sh|x)es$/i.test(label)) return label.slice(0, -2);
  return /[^s]s$/i.test(label) ? label.slice(0, -1) : `${label} item`;
}
