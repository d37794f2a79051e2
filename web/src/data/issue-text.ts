import { language, t, tPlural } from '../i18n/index.ts';

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
};

const LIMIT_PATTERNS: readonly (readonly [pattern: RegExp, textOf: (limit: number) => string])[] = [
  [/^must be at least (\d+)$/, (limit) => t('must be at least {{limit}}', { limit })],
  [/^must be at most (\d+)$/, (limit) => t('must be at most {{limit}}', { limit })],
  [/^must be more than (\d+)$/, (limit) => t('must be more than {{limit}}', { limit })],
  [/^must be less than (\d+)$/, (limit) => t('must be less than {{limit}}', { limit })],
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
];

/** The frequent validation issues of the service in the language of the editor; others stay in English. */
export function issueText(issue: string): string {
  if (language === 'en') return issue;
  if (Object.hasOwn(EXACT_TEXTS, issue)) return EXACT_TEXTS[issue]!;
  for (const [pattern, formatLimit] of LIMIT_PATTERNS) {
    const limit = pattern.exec(issue)?.[1];
    if (limit !== undefined) return formatLimit(Number(limit));
  }
  return issue;
}
