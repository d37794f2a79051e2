import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { Chooser, type Choice } from '../canvas/components/command-list.tsx';
import { TypeIcon } from '../canvas/components/type-icon.tsx';
import type { NodeType } from '../canvas/model/catalog.ts';
import type { Point } from '../canvas/model/document.ts';
import { search } from '../canvas/model/search.ts';
import { ErrorAlert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import { createOperationNamesQuery } from './load-operations.ts';
import { describeOperation, createOperationEntry, parseOperationEntryId } from './operation-entries.ts';
import { t } from '../i18n/index.ts';

/** Results that are shown: more are found by typing. */
const MAX_RESULTS = 100;

/** Chooses an operation of a pack by typing. */
export function OperationSelect({
  type,
  pack,
  version,
  operation,
  error,
  onChoose,
}: {
  type: NodeType;
  pack: string;
  version: string;
  /** Empty: none yet. */
  operation: string;
  error: string | null;
  onChoose: (operation: string, title: string) => void;
}) {
  const names = useQuery(createOperationNamesQuery(pack, version));
  const [anchor, setAnchor] = useState<Point | null>(null);
  const valueId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const entries = useMemo(
    () => (names.data?.operations ?? []).map((one) => createOperationEntry(type, one)),
    [names.data, type],
  );
  const selected = names.data?.operations.find(({ id }) => id === operation);
  const close = (): void => {
    setAnchor(null);
    button.current?.focus();
  };
  const find = (text: string): Choice[] =>
    search(entries, text)
      .slice(0, MAX_RESULTS)
      .map((entry) => ({
        id: entry.id,
        title: entry.title,
        detail: entry.detail.slice(`${type.name} · `.length),
        icon: <TypeIcon type={entry} />,
        group: '',
      }));
  return (
    <>
      <Field
        label={t('Operation')}
        hint={selected === undefined ? null : describeOperation(selected)}
        error={error}
        path="config.operation"
      >
        {(tied) => (
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
            <span id={valueId} className={operation === '' ? 'faint' : 'operation-select__name'}>
              {selected?.title ?? (operation === '' ? t('Choose an operation') : operation)}
            </span>
            <ChevronDown size={14} aria-hidden="true" />
          </button>
        )}
      </Field>
      {names.error !== null && <ErrorAlert error={names.error} onRetry={() => void names.refetch()} />}
      {anchor !== null && (
        <Chooser
          label={t('Operations of {{name}}', { name: type.name })}
          placeholder={t('Search operations…')}
          search={find}
          anchor={anchor}
          empty={names.data === undefined ? t('Loading operations…') : t('No matching operations')}
          onClose={close}
          onChoose={(id) => {
            const found = parseOperationEntryId(id)?.operation ?? '';
            close();
            onChoose(found, names.data?.operations.find((one) => one.id === found)?.title ?? found);
          }}
        />
      )}
    </>
  );
}
