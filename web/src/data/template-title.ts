const SPECIAL_SPELLINGS: Readonly<Record<string, string>> = {
  api: 'API',
  crm: 'CRM',
  csv: 'CSV',
  github: 'GitHub',
  http: 'HTTP',
  sql: 'SQL',
};

/** Converts `github-push-to-chat` to "GitHub push to chat". A name with spaces is unchanged. */
export function formatTemplateTitle(name: string): string {
  if (/[\s\p{Lu}]/u.test(name)) return name;
  const words = name.split(/[-_]+/).map((word) => SPECIAL_SPELLINGS[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
