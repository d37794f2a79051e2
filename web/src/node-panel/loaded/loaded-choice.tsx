import { ChevronDown, RefreshCw, X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Chooser, type Choice } from '../../canvas/components/command-list.tsx';
import type { Point } from '../../canvas/model/document.ts';
import { search as findBest } from '../../canvas/model/search.ts';
import { IconButton } from '../../ui/button.tsx';
import { Field as LabeledField } from '../../ui/field.tsx';
import { useForm, type FieldProps } from '../form/form-context.ts';
import { OrTemplate } from '../form/scalar-controls.tsx';
import { formatValue } from '../model/format-value.ts';
import { formatFieldName } from '../model/field-path.ts';
import { hasTemplate } from '../model/local-preview.ts';
import type { ChoiceSource } from './choice-source.ts';
import { LoadState } from './load-state.tsx';
import { useChoices, type LoadedChoices } from './use-choices.ts';
import { t } from '../../i18n/index.ts';

/** Results that are shown: more are found by typing. */
const MAX_RESULTS = 100;
/** Marks the choice that takes the typed text as the value. */
const TYPED_PREFIX = 'typed:';

/** A value, or several, from the choices that a service loads. A text or a template can be given instead. */
export function LoadedChoice({
  field,
  fieldPath,
  value,
  source,
  isList,
}: FieldProps & { source: ChoiceSource; isList: boolean }) {
  const { change, errors } = useForm();
  const [text, setText] = useState('');
  const [anchor, setAnchor] = useState<Point | null>(null);
  const valueId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const { loads = [], searches = false } = field.ui;
  const selected = listValues(value, isList);
  const isTemplate = typeof value === 'string' && hasTemplate(value);
  // Packs have labels for their values. The names of models are their values.
  const hasLabels = source.pack !== null;
  const isEnabled = anchor !== null || (hasLabels && selected.length > 0 && !isTemplate);
  const all = useChoices(source, field.key, loads, { isEnabled });
  const found = useChoices(source, field.key, loads, {
    search: searches ? text.trim() : '',
    isEnabled: searches && anchor !== null,
  });
  const displayed = searches && anchor !== null ? found : all;
  const names = new Map(
    [all, found].flatMap(({ data }) => (data?.options ?? []).map((one) => [toKey(one.value), one.label])),
  );
  // A list that is searched may contain it, although it is not among the first ones.
  const isWhole = hasLabels && all.data !== undefined && !searches && !all.isLoading;
  const getName = (one: unknown): string => {
    const text = formatValue(one);
    return names.get(toKey(one)) ?? (isWhole ? t('{{value}} (unknown)', { value: text }) : text);
  };
  const close = (): void => {
    setAnchor(null);
    setText('');
    button.current?.focus();
  };
  const choose = (id: string): void => {
    const next: unknown = id.startsWith(TYPED_PREFIX) ? id.slice(TYPED_PREFIX.length) : JSON.parse(id);
    close();
    change(fieldPath, isList ? [...selected, next] : next);
  };
  const remove = (index: number): void => {
    const left = selected.filter((_, i) => i !== index);
    change(fieldPath, isList && (left.length > 0 || field.isRequired) ? left : undefined);
    button.current?.focus();
  };
  return (
    <LabeledField
      label={field.label}
      hint={field.description}
      error={errors.get(formatFieldName(fieldPath)) ?? null}
      isOptional={!field.isRequired && field.default === undefined}
      path={formatFieldName(fieldPath)}
    >
      {(tied) => (
        <OrTemplate
          fieldPath={fieldPath}
          value={value}
          id={tied.id}
          describedBy={tied['aria-describedby']}
          isInvalid={tied['aria-invalid'] === true}
          isRequired={field.isRequired}
        >
          <div className="tool-select__row">
            <button
              ref={button}
              type="button"
              id={tied.id}
              className="input operation-select"
              aria-haspopup="listbox"
              aria-expanded={anchor !== null}
              aria-describedby={[valueId, tied['aria-describedby']].filter(Boolean).join(' ')}
              data-invalid={tied['aria-invalid']}
              onClick={({ currentTarget }) => {
                const { left, bottom } = currentTarget.getBoundingClientRect();
                setAnchor({ x: left, y: bottom + 4 });
              }}
            >
              <span
                id={valueId}
                className={isList || selected.length === 0 ? 'faint' : 'operation-select__name'}
              >
                {isList
                  ? t('Add…')
                  : selected.length === 0
                    ? (field.ui.placeholder ?? t('Choose…'))
                    : getName(selected[0])}
              </span>
              <ChevronDown size={14} aria-hidden="true" />
            </button>
            {!isList && !field.isRequired && selected.length > 0 && (
              <IconButton
                size="small"
                icon={<X size={13} />}
                label={t('Clear {{name}}', { name: field.label })}
                onClick={() => remove(0)}
              />
            )}
            <IconButton
              size="small"
              icon={<RefreshCw size={13} />}
              label={t('Reload {{name}}', { name: field.label })}
              isBusy={displayed.isLoading}
              disabled={!all.isReady || all.blocked !== null}
              onClick={all.reload}
            />
          </div>
          {isList && selected.length > 0 && (
            <ul className="loaded__chosen" aria-label={t('Chosen: {{name}}', { name: field.label })}>
              {selected.map((one, i) => (
                <li key={toKey(one)} className="loaded__one">
                  <span>{getName(one)}</span>
                  <IconButton
                    size="small"
                    icon={<X size={12} />}
                    label={t('Remove {{name}}', { name: getName(one) })}
                    onClick={() => remove(i)}
                  />
                </li>
              ))}
            </ul>
          )}
          <LoadState choices={all} />
          {anchor !== null && (
            <Chooser
              label={t('Choices for {{name}}', { name: field.label })}
              placeholder={t('Search or enter a value…')}
              search={(typed) => listChoices(displayed, typed, searches, isList ? selected : [])}
              onText={setText}
              anchor={anchor}
              empty={describeEmpty(displayed)}
              onClose={close}
              onChoose={choose}
            />
          )}
        </OrTemplate>
      )}
    </LabeledField>
  );
}

const toKey = (value: unknown): string => JSON.stringify(value) ?? '';

function listValues(value: unknown, isList: boolean): readonly unknown[] {
  if (value === undefined || value === '') return [];
  return isList && Array.isArray(value) ? (value as unknown[]) : [value];
}

/** The choices that fit a text, and the text itself as a value. */
function listChoices(
  { data }: LoadedChoices,
  typed: string,
  isSearched: boolean,
  without: readonly unknown[],
): Choice[] {
  const taken = new Set(without.map(toKey));
  const entries = (data?.options ?? []).flatMap(({ label, value, note }) => {
    const id = toKey(value);
    // An id is worth showing only when it says more than the label.
    const detail = note ?? (typeof value === 'string' && value !== label ? value : '');
    return taken.has(id) ? [] : [{ id, title: label, detail, keywords: [] }];
  });
  // What the pack found may match in a part that is not shown.
  const found = isSearched || typed.trim() === '' ? entries : findBest(entries, typed);
  const text = typed.trim();
  const isKnown = text === '' || entries.some(({ title, detail }) => title === text || detail === text);
  return [
    ...found
      .slice(0, MAX_RESULTS)
      .map(({ id, title, detail }) => ({ id, title, detail, icon: null, group: '' })),
    ...(isKnown
      ? []
      : [
          {
            id: `${TYPED_PREFIX}${text}`,
            title: t('Use “{{text}}”', { text }),
            detail: '',
            icon: null,
            group: '',
          },
        ]),
  ];
}

function describeEmpty({ data, error, isLoading, isReady, blocked }: LoadedChoices): string {
  if (isLoading) return t('Loading choices…');
  if (!isReady) return t('Choose an account to load the choices, or enter a value.');
  if (blocked !== null || error !== null) return t('Enter a value.');
  return data?.placeholder ?? t('No choices. Enter a value.');
}
