import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../button.tsx';
import { toSentenceCase, t, tPlural } from '../../i18n/index.ts';

/** Items shown initially; a button shows more, so that a large value does not block the page. */
const PAGE_SIZE = 100;
/** Longer strings are truncated until they are expanded. */
const MAX_TEXT_LENGTH = 2_000;

/** A collapsible tree of any JSON value. Only expanded parts are rendered. */
export function JsonTree({
  value,
  name,
  openLevels = 2,
}: {
  value: unknown;
  /** The label of the root value. */
  name?: string | undefined;
  openLevels?: number;
}) {
  return (
    <div className="json" tabIndex={0} role="region" aria-label={name ?? t('Data')}>
      <Value name={name} value={value} openLevels={openLevels} />
    </div>
  );
}

function Value({
  name,
  value,
  openLevels,
}: {
  name?: string | undefined;
  value: unknown;
  openLevels: number;
}) {
  return typeof value === 'object' && value !== null ? (
    <Branch name={name} value={value} openLevels={openLevels} />
  ) : (
    <div className="json__row">
      <span className="json__space" />
      <Key name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Key({ name }: { name?: string | undefined }) {
  return name === undefined ? null : <span className="json__key">{name}:</span>;
}

function Branch({
  name,
  value,
  openLevels,
}: {
  name?: string | undefined;
  value: object;
  openLevels: number;
}) {
  const [isOpen, setIsOpen] = useState(openLevels > 0);
  const [count, setCount] = useState(PAGE_SIZE);
  const isArray = Array.isArray(value);
  const keys = isArray ? null : Object.keys(value);
  const size = isArray ? value.length : (keys?.length ?? 0);
  const summary = isArray
    ? `[${tPlural(size, '{{count}} item', '{{count}} items')}]`
    : `{${tPlural(size, '{{count}} field', '{{count}} fields')}}`;
  const entries: [string, unknown][] = isArray
    ? (value as unknown[]).slice(0, count).map((item, i) => [String(i), item])
    : (keys ?? []).slice(0, count).map((key) => [key, (value as Record<string, unknown>)[key]]);
  return (
    <div>
      <div className="json__row">
        {size === 0 ? (
          <span className="json__space" />
        ) : (
          <button
            type="button"
            className="json__toggle"
            aria-expanded={isOpen}
            aria-label={
              isOpen
                ? t('Collapse {{name}}', { name: name ?? toSentenceCase(t('Data')) })
                : t('Expand {{name}}', { name: name ?? toSentenceCase(t('Data')) })
            }
            onClick={() => setIsOpen(!isOpen)}
          >
            <ChevronRight size={13} aria-hidden="true" />
          </button>
        )}
        <Key name={name} />
        <span className="json__summary">{summary}</span>
      </div>
      {isOpen && size > 0 && (
        <div className="json__children">
          {entries.map(([key, item]) => (
            <Value key={key} name={key} value={item} openLevels={openLevels - 1} />
          ))}
          {size > count && (
            <Button
              className="json__more"
              size="small"
              variant="quiet"
              onClick={() => setCount(count + PAGE_SIZE * 5)}
            >
              {t('Show more ({{total}} total)', { total: size })}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setIsWhole] = useState(false);
  if (typeof value !== 'string') {
    const kind = value === null || value === undefined ? 'null' : typeof value;
    return <span className={`json__${kind}`}>{String(value)}</span>;
  }
  const isCut = value.length > MAX_TEXT_LENGTH && !isWhole;
  return (
    <>
      <span className="json__string">{JSON.stringify(isCut ? value.slice(0, MAX_TEXT_LENGTH) : value)}</span>
      {isCut && (
        <Button size="small" variant="quiet" onClick={() => setIsWhole(true)}>
          {t('Show all {{length}} characters', { length: value.length })}
        </Button>
      )}
    </>
  );
}
