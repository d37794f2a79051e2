import type { Catalog } from '../model/catalog.ts';
import type { Doc } from '../model/document.ts';
import { getGraphIndex } from '../model/graph-index.ts';
import { getNodeTitle, getTitleById } from '../model/title.ts';
import { t, tPlural } from '../../i18n/index.ts';

const MAX_NAMED = 4;

/** Describes a node for screen readers: its name, position, inputs and outputs. */
export function describeNode(doc: Doc, catalog: Catalog, id: string): string {
  const entry = doc.nodes.get(id);
  if (entry === undefined) return '';
  const index = getGraphIndex(doc, catalog);
  const type = catalog.get(entry.type)?.name ?? entry.type;
  const bodyPosition = index.bodyPositions.get(id);
  const parts = [`${getNodeTitle(entry, catalog)}, ${type}`];
  if (entry.disabled === true) parts.push(t('disabled'));
  if (bodyPosition !== undefined) {
    const around = doc.nodes.get(bodyPosition.container)!;
    const count = index.bodyNodes.get(bodyPosition.container)?.get(bodyPosition.body)?.length ?? 0;
    const position = t('{{number}} of {{total}} in {{container}}', {
      number: bodyPosition.index + 1,
      total: count,
      container: getNodeTitle(around, catalog),
    });
    parts.push(bodyPosition.body === 'body' ? position : `${position}, ${bodyPosition.body}`);
  }
  for (const [body, nodes] of index.bodyNodes.get(id) ?? [])
    parts.push(
      body === 'body'
        ? tPlural(nodes.length, 'runs {{count}} node', 'runs {{count}} nodes')
        : tPlural(nodes.length, '{{body}} runs {{count}} node', '{{body}} runs {{count}} nodes', { body }),
    );
  const into = (index.in.get(id) ?? []).map((edge) => getTitleById(doc.nodes, edge.from, catalog));
  const out = (index.out.get(id) ?? []).map((edge) => {
    const to = getTitleById(doc.nodes, edge.to, catalog);
    return edge.port === 'out' ? to : t('{{node}} by {{port}}', { node: to, port: edge.port });
  });
  if (into.length > 0) parts.push(t('after {{nodes}}', { nodes: listed(into) }));
  parts.push(out.length > 0 ? t('next: {{nodes}}', { nodes: listed(out) }) : t('no next node'));
  return parts.join('; ');
}

function listed(names: readonly string[]): string {
  const text = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED
    ? t('{{names}} and {{number}} more', { names: text, number: names.length - MAX_NAMED })
    : text;
}
