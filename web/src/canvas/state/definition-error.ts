import { toErrorText } from '../../data/error-text.ts';
import type { Catalog } from '../model/catalog.ts';
import { toDefinition, type Doc } from '../model/document.ts';
import { getNodeTitle } from '../model/title.ts';

const FIELD_PATTERN = /definition\.nodes\[(\d+)\](?:\.config)?\.?([^\s:]*)/g;

/** A workflow error with names for the indexes of its definition: `Call the shop → url: is required`. */
export function formatDefinitionError(error: unknown, doc: Doc, catalog: Catalog): string {
  const ids = (toDefinition(doc)['nodes'] ?? []) as readonly { readonly id: string }[];
  return toErrorText(error).replaceAll(FIELD_PATTERN, (location, index: string, field: string) => {
    const entry = doc.nodes.get(ids[Number(index)]?.id ?? '');
    if (entry === undefined) return location;
    const title = getNodeTitle(entry, catalog);
    return field === '' ? `${title}:` : `${title} → ${field}:`;
  });
}
