import type { Health } from 'weft-client';
import { StatusBadge } from '../../ui/badge.tsx';
import { t } from '../../i18n/index.ts';

const CHECK_NAMES: Readonly<Record<string, string>> = {
  store: t('Database'),
  engine: t('Engine'),
  event_loop: t('Event loop'),
  memory: t('Memory'),
};

function formatMeasurement(name: string, value: unknown): [string, string] {
  const word = name.replace(/_(ms|bytes)$/, '').replaceAll('_', ' ');
  if (typeof value !== 'number') return [word, String(value)];
  if (name.endsWith('_ms')) return [word, `${value} ms`];
  return name.endsWith('_bytes') ? [word, `${Math.round(value / 1_048_576)} MB`] : [word, String(value)];
}

/** The result of `GET /health` for each component. */
export function HealthChecks({ checks }: { checks: Health['checks'] }) {
  return (
    <section className="card" aria-labelledby="checks">
      <div className="card__head">
        <h2 className="card__title" id="checks">
          {t('Checks')}
        </h2>
      </div>
      <ul className="checks">
        {Object.entries(checks).map(([name, { status, ...measures }]) => (
          <li key={name} className="checks__one">
            <div className="row">
              <strong className="grow">{CHECK_NAMES[name] ?? name}</strong>
              <StatusBadge status={String(status)} />
            </div>
            <dl className="numbers">
              {Object.entries(measures).map(([measure, value]) => {
                const [word, text] = formatMeasurement(measure, value);
                return (
                  <div key={measure} className="checks__measure">
                    <dt>{word}</dt>
                    <dd>{text}</dd>
                  </div>
                );
              })}
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}
