import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { createEmptyValue, type Schema } from '../model/field.ts';
import { isRecord, withKey } from '../model/field-path.ts';
import { useForm } from './form-context.ts';
import { createField, toSingular } from './list-control.tsx';
import { Section, type SectionProps } from './section.tsx';
import { toSentenceCase, t } from '../../i18n/index.ts';

/** An object with arbitrary keys. */
export function MapControl({ schema, ...frame }: SectionProps & { schema: Schema }) {
  const { change, Row } = useForm();
  const { title, fieldPath, value, isRequired } = frame;
  const entries = isRecord(value) ? Object.entries(value) : [];
  const one = toSentenceCase(toSingular(title));
  const put = (next: Record<string, unknown>): void =>
    change(fieldPath, Object.keys(next).length === 0 && !isRequired ? undefined : next);
  /** The entry that was just added: its name gets the focus, to be overwritten. */
  const [added, setAdded] = useState<string | null>(null);
  const add = (): void => {
    const name = createUniqueName(entries);
    setAdded(name);
    put({ ...Object.fromEntries(entries), [name]: createEmptyValue(schema) });
  };
  return (
    <Section
      {...frame}
      summary={String(entries.length)}
      isSet={isRequired || value !== undefined}
      onAdd={add}
      onRemove={isRequired ? undefined : () => change(fieldPath, undefined)}
    >
      {entries.map(([key, each], index) => (
        <div className="entry" key={index}>
          <div className="entry__head">
            <KeyInput
              key={key}
              name={key}
              label={t('Name of {{entry}} {{number}}', { entry: one, number: index + 1 })}
              taken={entries.map(([other]) => other)}
              isAdded={key === added}
              onFocused={() => setAdded(null)}
              onName={(next) => put(withKey(Object.fromEntries(entries), key, next))}
            />
            <IconButton
              size="small"
              icon={<Trash2 size={13} />}
              label={t('Remove {{entry}} {{key}}', { entry: one, key })}
              onClick={() => put(Object.fromEntries(entries.filter(([other]) => other !== key)))}
            />
          </div>
          <Row
            field={createField(schema, t('Value of {{key}}', { key }))}
            fieldPath={[...fieldPath, key]}
            value={each}
          />
        </div>
      ))}
      <Button size="small" variant="quiet" icon={<Plus size={14} />} onClick={add}>
        {t('Add {{entry}}', { entry: one })}
      </Button>
    </Section>
  );
}

/** A key is applied on blur, because a partly typed key may equal another one. */
function KeyInput({
  name,
  label,
  taken,
  isAdded,
  onFocused,
  onName,
}: {
  name: string;
  label: string;
  taken: readonly string[];
  isAdded: boolean;
  onFocused: () => void;
  onName: (name: string) => void;
}) {
  const [text, setText] = useState(name);
  const error =
    text !== name && taken.includes(text) ? t('already exists') : text === '' ? t('is required') : null;
  const keep = (): void => {
    if (text === name) return;
    if (error === null) onName(text);
    else setText(name);
  };
  return (
    <>
      <Input
        className="input--mono"
        aria-label={label}
        aria-invalid={error === null ? undefined : true}
        value={text}
        spellCheck={false}
        autoFocus={isAdded}
        onFocus={({ target }) => {
          if (!isAdded) return;
          target.select();
          onFocused();
        }}
        onChange={({ target }) => setText(target.value)}
        onBlur={keep}
        onKeyDown={({ key }) => {
          if (key === 'Enter') keep();
        }}
      />
      {error !== null && <span className="field__error">{error}</span>}
    </>
  );
}

function createUniqueName(entries: readonly (readonly [string, unknown])[]): string {
  const taken = new Set(entries.map(([name]) => name));
  for (let n = entries.length + 1; ; n++) if (!taken.has(`name${n}`)) return `name${n}`;
}
