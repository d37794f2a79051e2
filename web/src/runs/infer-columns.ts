/** The maximum number of columns; wider objects are shown as a tree. */
const MAX_COLUMNS = 30;
/** The number of items inspected for columns. */
const MAX_SAMPLED_ROWS = 200;

/** Converts a list of objects to columns and cells; null for any other value. */
export function inferColumns(value: unknown): { columns: string[]; rows: string[][] } | null {
  const list = listIn(value);
  if (list === null || list.length === 0) return null;
  const columns = new Set<string>();
  for (const item of list.slice(0, MAX_SAMPLED_ROWS)) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return null;
    for (const key of Object.keys(item)) if (columns.size < MAX_COLUMNS) columns.add(key);
  }
  if (columns.size === 0) return null;
  const names = [...columns];
  return { columns: names, rows: list.map((item) => names.map((name) => cell(item, name))) };
}

/** The value itself, or the only list in an object: `{results: […]}` is a table as well. */
function listIn(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value as unknown[];
  if (typeof value !== 'object' || value === null) return null;
  const lists = Object.values(value).filter((part): part is unknown[] => Array.isArray(part));
  return lists.length === 1 ? lists[0]! : null;
}

function cell(item: unknown, name: string): string {
  if (typeof item !== 'object' || item === null || !Object.hasOwn(item, name)) return '';
  const value = (item as Record<string, unknown>)[name];
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
