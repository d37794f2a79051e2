import { useId, useState } from 'react';
import type { ConnectionProvider } from 'weft-client';
import { Field, Input } from '../ui/field.tsx';
import { t } from '../i18n/index.ts';

export const OTHER_SERVICE = 'other';
const OTHER_SERVICE_TITLE = t('Other (OAuth 2.0)');

/** Chooses a service by typing a part of its name. The browser lists the matches. */
export function ServiceField({
  providers,
  value,
  onChange,
}: {
  providers: readonly ConnectionProvider[];
  /** The id of a provider, or `other`. */
  value: string;
  onChange: (value: string) => void;
}) {
  const listId = useId();
  const getTitle = (id: string): string =>
    providers.find((one) => one.id === id)?.title ?? OTHER_SERVICE_TITLE;
  const [text, setText] = useState(getTitle(value));
  const find = (typed: string): string | null => {
    const query = typed.trim().toLowerCase();
    if (query === OTHER_SERVICE_TITLE.toLowerCase()) return OTHER_SERVICE;
    return providers.find((one) => one.title.toLowerCase() === query)?.id ?? null;
  };
  return (
    <Field
      label={t('Service')}
      hint={t('Type to search {{number}} services.', { number: providers.length })}
      error={text.trim() === '' || find(text) !== null ? null : t('Choose a service from the list.')}
    >
      {(tied) => (
        <>
          <Input
            {...tied}
            list={listId}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              const found = find(event.target.value);
              if (found !== null) onChange(found);
            }}
            // The whole list is offered, not only the service that is chosen.
            onFocus={(event) => event.target.select()}
            onBlur={() => setText(getTitle(find(text) ?? value))}
          />
          <datalist id={listId}>
            <option value={OTHER_SERVICE_TITLE} />
            {providers.map(({ id, title }) => (
              <option key={id} value={title} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
