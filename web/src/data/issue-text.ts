import { language, locale, t, tPlural } from '../i18n/index.ts';

const number = new Intl.NumberFormat(locale);

const EXACT_TEXTS: Readonly<Record<string, string>> = {
  'is required': t('is required'),
  'must not be empty': t('must not be empty'),
  'must not have the same entry twice': t('must not have the same entry twice'),
  'must be true or false': t('must be true or false'),
  'must be a whole number': t('must be a whole number'),
  'must be a number': t('must be a number'),
  'must be a string': t('must be a string'),
  'must be a list': t('must be a list'),
  'must be an object': t('must be an object'),
  'must be null': t('must be null'),
  'must be a string or a list': t('must be a string or a list'),
  'must have at least one entry': t('must have at least one entry'),
  'must be an http or https URL': t('must be an http or https URL'),
  'must be a duration of more than 0': t('must be a duration of more than 0'),
  'must not be listed twice': t('must not be listed twice'),
  'must have at least one node to run': t('must have at least one node to run'),
  'is not reachable from any trigger': t('is not reachable from any trigger'),
  'is not a known field': t('is not a known field'),
  'is not valid': t('is not valid'),
  'must not contain a template': t('must not contain a template'),
  'must be an object, not a template': t('must be an object, not a template'),
};

const LIMIT_PATTERNS: readonly (readonly [pattern: RegExp, textOf: (limit: number) => string])[] = [
  [/^must be at least (\d+)$/, (limit) => t('must be at least {{limit}}', { limit: number.format(limit) })],
  [/^must be at most (\d+)$/, (limit) => t('must be at most {{limit}}', { limit: number.format(limit) })],
  [/^must be more than (\d+)$/, (limit) => t('must be more than {{limit}}', { limit: number.format(limit) })],
  [/^must be less than (\d+)$/, (limit) => t('must be less than {{limit}}', { limit: number.format(limit) })],
  [
    /^must have at least (\d+) characters$/,
    (limit) =>
      tPlural(limit, 'must have at least {{count}} character', 'must have at least {{count}} characters'),
  ],
  [
    /^must have at most (\d+) characters$/,
    (limit) =>
      tPlural(limit, 'must have at most {{count}} character', 'must have at most {{count}} characters'),
  ],
  [
    /^must have at least (\d+) entries$/,
    (limit) => tPlural(limit, 'must have at least {{count}} entry', 'must have at least {{count}} entries'),
  ],
  [
    /^must have at most (\d+) entries$/,
    (limit) => tPlural(limit, 'must have at most {{count}} entry', 'must have at most {{count}} entries'),
  ],
];

type TextPattern = readonly [pattern: RegExp, textOf: (value: string) => string];

/** Issues with a value that is not translated, such as a name. */
const TEXT_PATTERNS: readonly TextPattern[] = [
  [/^must be one of (.+)$/, (names) => t('must be one of {{names}}', { names })],
  [
    /^is not a known field; known are (.+)$/,
    (names) => t('is not a known field; known are {{names}}', { names }),
  ],
  [/^refers to an unknown node: (.+)$/, (node) => t('refers to an unknown node: {{node}}', { node })],
  [
    /^reads the output of an unknown node: (.+)$/,
    (node) => t('reads the output of an unknown node: {{node}}', { node }),
  ],
  [/^is not a known node type: (.+)$/, (type) => t('is not a known node type: {{type}}', { type })],
  [/^must not be set with (.+)$/, (field) => t('must not be set with {{field}}', { field })],
  [/^is required with (.+)$/, (field) => t('is required with {{field}}', { field })],
  [/^is required by (.+)$/, (field) => t('is required by {{field}}', { field })],
  [/^(.+) must not be used twice$/, (name) => t('{{name}} must not be used twice', { name })],
  [
    /^must be (?:an IANA|a) time zone such as Europe\/Berlin, not (.+)$/,
    (zone) => t('must be a time zone such as Europe/Berlin, not {{zone}}', { zone }),
  ],
  [
    /^must be a duration of at least (\w+), such as .+$/,
    (duration) => t('must be a duration of at least {{duration}}', { duration }),
  ],
  [
    /^must be a cron expression of five fields .+ and has (\d+)$/,
    (number) =>
      t(
        'must be a cron expression of five fields (minute hour day month weekday), or six with seconds first, and has {{number}}',
        { number },
      ),
  ],
  [/^must be a cron expression: (.+)$/, (reason) => t('must be a cron expression: {{reason}}', { reason })],
  [/^form a cycle: (.+)$/, (nodes) => t('form a cycle: {{nodes}}', { nodes })],
];

/** The frequent validation issues of the service in the language of the editor; others stay in English. */
export function translateIssueText(issue: string): string {
  return (language === 'en' ? formatLimit(issue) : translateIssue(issue)) ?? issue;
}

function formatLimit(issue: string): string | null {
  for (const [pattern, textOf] of LIMIT_PATTERNS) {
    const limit = pattern.exec(issue)?.[1];
    if (limit !== undefined) return textOf(Number(limit));
  }
  return null;
}

/** Null: the issue has no translation. */
export function translateIssue(issue: string): string | null {
  if (Object.hasOwn(EXACT_TEXTS, issue)) return EXACT_TEXTS[issue]!;
  const limited = formatLimit(issue);
  if (limited !== null) return limited;
  for (const [pattern, formatValue] of TEXT_PATTERNS) {
    const value = pattern.exec(issue)?.[1];
    if (value !== undefined) return formatValue(value);
  }
  return null;
}
