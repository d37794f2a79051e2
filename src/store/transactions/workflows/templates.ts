import type { TemplateParameter } from '../../../contract/requests/template.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { TemplateRow, TemplateSummaryRow } from '../../../ports/store/templates.ts';
import * as templates from '../../queries/templates.ts';
import { searchText } from '../../../lib/text/search-text.ts';
import { searchPattern } from '../../search-text.ts';
import { selectAll, change, selectFirst, lock, type Transaction } from '../../statement.ts';
import { ownerLock } from '../locks.ts';

type Numbers = [major: number, minor: number, patch: number];
type VersionRecord = { major: number; minor: number; patch: number };
type SummaryRecord = VersionRecord & {
  owner_id: string;
  name: string;
  description: string;
  parameters: string;
  created_at: number;
};

/** The three numbers of a validated version, so that 1.10.0 sorts after 1.9.0. */
function parseVersion(version: string): Numbers {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
}

const formatVersion = (r: VersionRecord): string => `${r.major}.${r.minor}.${r.patch}`;

function toSummary(r: SummaryRecord): TemplateSummaryRow {
  return {
    ownerId: r.owner_id,
    name: r.name,
    version: formatVersion(r),
    description: r.description,
    parameters: JSON.parse(r.parameters) as TemplateParameter[],
    createdAt: r.created_at,
  };
}

export function* createTemplate(t: TemplateRow, most: number): Transaction<'created' | 'exists' | 'full'> {
  yield* lock(ownerLock('templates', t.ownerId));
  const numbers = parseVersion(t.version);
  if ((yield* selectFirst(templates.exists, t.ownerId, t.name, ...numbers)) !== null) return 'exists';
  const stored = (yield* selectFirst<{ n: number }>(templates.countByOwner, t.ownerId))?.n ?? 0;
  if (stored >= most) return 'full';
  const search = searchText(`${t.name}\n${t.description}`);
  const parameters = JSON.stringify(t.parameters);
  const workflow = JSON.stringify(t.workflow);
  yield [
    {
      sql: templates.insert,
      params: [t.ownerId, t.name, ...numbers, t.description, search, parameters, workflow, t.createdAt],
    },
  ];
  return 'created';
}

export function* listTemplates(
  ownerId: string,
  search: string | null,
  offset: number,
  limit: number,
): Transaction<{ rows: TemplateSummaryRow[]; total: number }> {
  const condition = templates.buildTemplateCondition(search !== null);
  const params = search === null ? [ownerId] : [ownerId, searchPattern(search)];
  const total = (yield* selectFirst<{ n: number }>(templates.count(condition), ...params))?.n ?? 0;
  const rows = yield* selectAll<SummaryRecord>(templates.list(condition), ...params, limit, offset);
  return { rows: rows.map(toSummary), total };
}

export function* getTemplate(
  ownerId: string,
  name: string,
  version: string | null,
): Transaction<TemplateRow | null> {
  type Found = SummaryRecord & { workflow: string };
  const row =
    version === null
      ? yield* selectFirst<Found>(templates.newest, ownerId, name)
      : yield* selectFirst<Found>(templates.one, ownerId, name, ...parseVersion(version));
  return row === null ? null : { ...toSummary(row), workflow: JSON.parse(row.workflow) as JsonObject };
}

export function* templateVersions(ownerId: string, name: string): Transaction<string[]> {
  return (yield* selectAll<VersionRecord>(templates.versions, ownerId, name)).map(formatVersion);
}

export function* removeTemplate(ownerId: string, name: string, version: string | null): Transaction<boolean> {
  const gone =
    version === null
      ? yield* change(templates.remove, ownerId, name)
      : yield* change(templates.removeVersion, ownerId, name, ...parseVersion(version));
  return gone > 0;
}
