const WRITTEN: Readonly<Record<string, string>> = {
  api: 'API',
  crm: 'CRM',
  csv: 'CSV',
  github: 'GitHub',
  http: 'HTTP',
  sql: 'SQL',
};

/** `github-push-to-chat` as people write it: GitHub push to chat. A name that has spaces already stays as it is. */
export function templateTitle(name: string): string {
  if (/[\s\p{Lu}]/u.test(name)) return name;
  const words = name.split(/[-_]+/).map((word) => WRITTEN[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
