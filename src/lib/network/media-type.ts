const JSON_TYPE = /^(?:application|text)\/(?:[\w.+-]+\+)?json$/;
const TEXT_TYPE =
  /^(?:text\/.+|application\/(?:(?:[\w.-]+\+)?xml|javascript|x-www-form-urlencoded|graphql|x-ndjson|yaml|x-yaml|toml|sql)|image\/svg\+xml)$/;

/** The media type of a Content-Type without parameters, in lower case; '' when there is none. */
export function parseMediaType(header: string | undefined): string {
  if (header === undefined) return '';
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

/** How content of a media type is converted to a value. */
export function classifyMediaType(type: string): 'json' | 'text' | 'binary' {
  if (JSON_TYPE.test(type)) return 'json';
  return TEXT_TYPE.test(type) ? 'text' : 'binary';
}
