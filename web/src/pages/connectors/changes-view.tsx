import type { PackInstallation } from 'weft-client';

type Changes = PackInstallation['changes'];
type Change = Changes['changed'][number];

const KINDS = [
  ['required', 'now required'],
  ['added', 'added'],
  ['removed', 'removed'],
  ['changed', 'changed'],
  ['properties', 'other'],
] as const;

/** The differences between the newest installed version and another one. */
export function ChangesView({ changes }: { changes: Changes }) {
  const { added_count: added, removed_count: removed, changed_count: changed } = changes;
  if (added + removed + changed === 0)
    return <p className="soft">No operation differs from version {changes.from_version}.</p>;
  return (
    <div className="pack-changes" role="region" aria-label="Changes" tabIndex={0}>
      <p>
        Since version {changes.from_version}: {added} added, {removed} removed, {changed} changed.
      </p>
      <Operations title="Removed operations" count={removed} operations={changes.removed} />
      <Operations title="Changed operations" count={changed} operations={changes.changed} />
      <Operations title="Added operations" count={added} operations={changes.added} />
    </div>
  );
}

function Operations({
  title,
  count,
  operations,
}: {
  title: string;
  count: number;
  operations: readonly (Changes['added'][number] | Change)[];
}) {
  if (count === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {operations.map((one) => (
          <li key={one.id}>
            {one.title} {one.title !== one.id && <code className="faint">{one.id}</code>}
            {'required' in one && <span className="pack-changes__fields">{fieldsText(one)}</span>}
          </li>
        ))}
        {count > operations.length && <li className="faint">and {count - operations.length} more</li>}
      </ul>
    </section>
  );
}

function fieldsText(change: Change): string {
  return KINDS.flatMap(([kind, word]) =>
    change[kind].length === 0 ? [] : [`${word}: ${change[kind].join(', ')}`],
  ).join('; ');
}
