const MAX_HEADER_LENGTH = 1_000;

/**
 * Which of the languages an `Accept-Language` header prefers (RFC 9110); the first one, if it names none of
 * them.
 */
export function chooseLanguage(header: string, languages: readonly string[]): string {
  const wanted = header
    .slice(0, MAX_HEADER_LENGTH)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const quality = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
      return { language: range.split('-')[0] ?? '', quality: Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  for (const { language } of wanted) {
    const found = language === '*' ? languages[0] : languages.find((one) => one === language);
    if (found !== undefined) return found;
  }
  return languages[0] ?? '';
}
