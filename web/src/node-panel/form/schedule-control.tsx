import { useEffect, useId, useState } from 'react';
import { Field, Input, Select } from '../../ui/field.tsx';
import { formatFieldName, type FieldPath } from '../model/field-path.ts';
import {
  toCron,
  readSchedule,
  scheduleKinds,
  formatTime,
  listTimeZones,
  writeSchedule,
  type Schedule,
  type ScheduleKind,
} from '../model/schedule.ts';
import { useForm } from './form-context.ts';
import { locale, t } from '../../i18n/index.ts';

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0];
const MAX_DAY = 31;

/** When a schedule runs: in words or as a cron expression, with its time zone and next runs. */
export function ScheduleControl({
  fieldPath,
  object,
}: {
  fieldPath: FieldPath;
  object: Readonly<Record<string, unknown>>;
}) {
  const { change, errors } = useForm();
  // The kind that the user chose, even if its expression also fits another kind.
  const [kind, setKind] = useState<ScheduleKind | null>(null);
  const read = readSchedule(object);
  const isUnset = kind === null && object['cron'] === undefined && object['interval'] === undefined;
  const schedule: Schedule = kind === 'cron' && read.kind !== 'interval' ? { ...read, kind } : read;
  const timezone = typeof object['timezone'] === 'string' ? object['timezone'] : '';
  const findError = (key: string): string | null => errors.get(formatFieldName([...fieldPath, key])) ?? null;
  const save = (next: Schedule, zone: string | undefined): void => {
    const { cron, interval } = writeSchedule(next);
    const { cron: _cron, interval: _interval, timezone: _timezone, ...others } = object;
    change(fieldPath, {
      ...others,
      ...(cron === undefined ? {} : { cron }),
      ...(interval === undefined ? {} : { interval }),
      ...(cron === undefined || zone === undefined ? {} : { timezone: zone }),
    });
  };
  const choose = (next: ScheduleKind): void => {
    setKind(next);
    const selected =
      next === 'cron' ? { ...schedule, kind: next, cron: toCron(schedule) } : { ...schedule, kind: next };
    save(selected, timezone === '' ? getLocalTimeZone() : timezone);
  };
  const edit = (part: Partial<Schedule>): void =>
    save({ ...schedule, ...part }, timezone === '' ? undefined : timezone);
  return (
    <div className="schedule">
      <Field
        label={t('Runs')}
        error={
          !isUnset && (schedule.kind === 'interval' || schedule.kind === 'cron')
            ? null
            : isUnset && findError('cron') !== null
              ? t('is required')
              : findError('cron')
        }
      >
        {(inputProps) => (
          <Select
            {...inputProps}
            value={isUnset ? '' : schedule.kind}
            onChange={({ target }) => choose(target.value as ScheduleKind)}
          >
            {isUnset && <option value="">{t('Choose…')}</option>}
            {scheduleKinds.map(([each, label]) => (
              <option key={each} value={each}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {!isUnset && (
        <>
          <KindFields schedule={schedule} edit={edit} error={findError} />
          {schedule.kind === 'interval' ? (
            <p className="field__hint">{t('The first run starts one interval after activation.')}</p>
          ) : (
            <>
              <ZoneField
                value={timezone}
                error={findError('timezone')}
                onChange={(zone) => save(schedule, zone === '' ? undefined : zone)}
              />
              <NextRuns cron={toCron(schedule)} timezone={timezone} />
            </>
          )}
        </>
      )}
    </div>
  );
}

function KindFields({
  schedule,
  edit,
  error,
}: {
  schedule: Schedule;
  edit: (part: Partial<Schedule>) => void;
  error: (key: string) => string | null;
}) {
  switch (schedule.kind) {
    case 'interval':
      return (
        <Field
          label={t('Interval')}
          hint={t('A number with a unit: 30s, 15m, 2h or 1d.')}
          error={error('interval')}
        >
          {(inputProps) => (
            <Input
              {...inputProps}
              className="input--mono"
              value={schedule.interval}
              placeholder="15m"
              onChange={({ target }) => edit({ interval: target.value.trim() })}
            />
          )}
        </Field>
      );
    case 'cron':
      return (
        <Field
          label={t('Cron expression')}
          hint={t('Minute, hour, day, month, weekday. A sixth field in front sets the seconds.')}
          error={error('cron')}
        >
          {(inputProps) => (
            <Input
              {...inputProps}
              className="input--mono"
              value={schedule.cron}
              placeholder="0 9 * * 1-5"
              spellCheck={false}
              onChange={({ target }) => edit({ cron: target.value })}
            />
          )}
        </Field>
      );
    case 'hourly':
      return (
        <Field label={t('Minute of the hour')}>
          {(inputProps) => (
            <Input
              {...inputProps}
              type="number"
              min={0}
              max={59}
              value={schedule.minute}
              onChange={({ target }) => edit({ minute: clamp(target.value, 0, 59) })}
            />
          )}
        </Field>
      );
    default:
      return (
        <>
          {schedule.kind === 'weekly' && <WeekdayField schedule={schedule} edit={edit} />}
          {schedule.kind === 'monthly' && (
            <Field
              label={t('Day of the month')}
              hint={schedule.day > 28 ? t('Months without this day are skipped.') : undefined}
            >
              {(inputProps) => (
                <Input
                  {...inputProps}
                  type="number"
                  min={1}
                  max={MAX_DAY}
                  value={schedule.day}
                  onChange={({ target }) => edit({ day: clamp(target.value, 1, MAX_DAY) })}
                />
              )}
            </Field>
          )}
          <Field label={t('Time')}>
            {(inputProps) => (
              <Input
                {...inputProps}
                type="time"
                value={formatTime(schedule)}
                onChange={({ target }) => {
                  const [hour, minute] = target.value.split(':').map(Number);
                  if (hour !== undefined && minute !== undefined) edit({ hour, minute });
                }}
              />
            )}
          </Field>
        </>
      );
  }
}

function WeekdayField({
  schedule: { weekdays },
  edit,
}: {
  schedule: Schedule;
  edit: (part: Partial<Schedule>) => void;
}) {
  return (
    <fieldset className="weekdays">
      <legend className="field__label">{t('Days')}</legend>
      {WEEKDAYS.map((day) => {
        const isOn = weekdays.includes(day);
        return (
          <label key={day} className="weekdays__day">
            <input
              type="checkbox"
              checked={isOn}
              // A weekly schedule needs at least one day.
              disabled={isOn && weekdays.length === 1}
              onChange={() =>
                edit({ weekdays: isOn ? weekdays.filter((other) => other !== day) : [...weekdays, day] })
              }
            />
            <span>{formatWeekday(day)}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

function ZoneField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | null;
  onChange: (zone: string) => void;
}) {
  const list = useId();
  const [zones] = useState(listTimeZones);
  return (
    <Field
      label={t('Time zone')}
      hint={value === '' ? t('Default: the time zone of the server.') : undefined}
      error={error}
    >
      {(inputProps) => (
        <>
          <Input
            {...inputProps}
            list={list}
            value={value}
            placeholder={t('Search, such as Berlin')}
            spellCheck={false}
            onChange={({ target }) => onChange(target.value)}
          />
          <datalist id={list}>
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function NextRuns({ cron, timezone }: { cron: string; timezone: string }) {
  const [runs, setRuns] = useState<readonly Date[] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setRuns(null);
    if (timezone !== '')
      void import('../model/next-runs.ts').then(({ computeNextRuns }) => {
        if (isCurrent) setRuns(computeNextRuns(cron, timezone));
      });
    return () => {
      isCurrent = false;
    };
  }, [cron, timezone]);
  if (timezone === '') return <p className="field__hint">{t('Choose a time zone to see the next runs.')}</p>;
  if (runs === null || runs.length === 0) return null;
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(cron.split(' ').length === 6 ? { second: '2-digit' } : {}),
    timeZone: timezone,
  });
  return (
    <section className="next-runs" aria-label={t('Next runs')}>
      <h3 className="panel__subtitle">{t('Next runs')}</h3>
      <ol>
        {runs.map((date) => (
          <li key={date.getTime()}>
            <time dateTime={date.toISOString()}>{format.format(date)}</time>
          </li>
        ))}
      </ol>
    </section>
  );
}

function clamp(text: string, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.trunc(Number(text)) || min));
}

function formatWeekday(day: number): string {
  // 4 January 1970 was a Sunday.
  return new Date(Date.UTC(1970, 0, 4 + day)).toLocaleDateString(locale, {
    weekday: 'short',
    timeZone: 'UTC',
  });
}

function getLocalTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
