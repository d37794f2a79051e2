import type { Catalogue } from '../model/catalogue.ts';
import type { Doc } from '../model/document.ts';
import { indexOf } from '../model/graph-index.ts';
import { titleOf, titleOfId } from '../model/title.ts';

const MAX_NAMED = 4;

/** Describes a node for screen readers: its name, position, inputs and outputs. */
export function describeNode(doc: Doc, catalogue: Catalogue, id: string): string {
  const entry = doc.nodes.get(id);
  if (entry === undefined) return '';
  const index = indexOf(doc, catalogue);
  const type = catalogue.get(entry.type)?.name ?? entry.type;
  const place = index.places.get(id);
  const parts = [`${titleOf(entry, catalogue)}, ${type}`];
  if (entry.disabled === true) parts.push('disabled');
  if (place !== undefined) {
    const around = doc.nodes.get(place.container)!;
    const count = index.members.get(place.container)?.get(place.body)?.length ?? 0;
    parts.push(
      `${place.at + 1} of ${count} in ${titleOf(around, catalogue)}${place.body === 'body' ? '' : `, ${place.body}`}`,
    );
  }
  for (const [body, nodes] of index.members.get(id) ?? [])
    parts.push(
      `${body === 'body' ? 'runs' : `${body} runs`} ${nodes.length === 1 ? '1 node' : `${nodes.length} nodes`}`,
    );
  const into = (index.in.get(id) ?? []).map((edge) => titleOfId(doc.nodes, edge.from, catalogue));
  const out = (index.out.get(id) ?? []).map((edge) => {
    const to = titleOfId(doc.nodes, edge.to, catalogue);
    return edge.port === 'out' ? to : `${to} by ${edge.port}`;
  });
  if (into.length > 0) parts.push(`after ${listed(into)}`);
  parts.push(out.length > 0 ? `next: ${listed(out)}` : 'no next node');
  return parts.join('; ');
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${shown} and ${names.length - MAX_NAMED} more` : shown;
}
