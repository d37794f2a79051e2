import { useEffect, useRef } from 'react';
import { formatValue } from '../model/format-value.ts';
import { usePreview, type Preview } from './use-preview.ts';
import { t } from '../../i18n/index.ts';

/** Characters of a value that fit under a field. */
const MAX_PREVIEW_LENGTH = 300;

/** The result of the templates in a value, shown below its field. */
export function TemplatePreview({ value, isActive }: { value: unknown; isActive: boolean }) {
  const current = usePreview(value, isActive);
  const last = useRef<Preview>({ kind: 'none' });
  useEffect(() => {
    if (current.kind !== 'asking') last.current = current;
  });
  const isAsking = current.kind === 'asking';
  // Until the service has evaluated the text, the field shows its last result.
  const preview = isAsking ? last.current : current;
  switch (preview.kind) {
    case 'none':
    case 'asking':
      return null;
    case 'error':
      return <p className="preview preview--error">{preview.text}</p>;
    case 'value': {
      const text = formatValue(preview.value);
      return (
        <p className={isAsking ? 'preview preview--asking' : 'preview'} aria-busy={isAsking}>
          <span aria-hidden="true">=</span>
          <span className="visually-hidden">{t('gives')} </span>
          <output className="preview__value">
            {text === ''
              ? t('(empty string)')
              : text.length > MAX_PREVIEW_LENGTH
                ? `${text.slice(0, MAX_PREVIEW_LENGTH)}…`
                : text}
          </output>
          {preview.isExample && <span className="preview__note"> · {t('example')}</span>}
        </p>
      );
    }
  }
}
