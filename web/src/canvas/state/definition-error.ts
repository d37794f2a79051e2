import { toErrorText } from '../../data/error-text.ts';
import type { Catalogue } from '../model/catalogue.ts';
import { toDefinition, type Doc } from '../model/document.ts';
import { getNodeTitle } from '../model/title.ts';

const FIELD_PATTERN = /definition\.nodes\[(\d+)\](?:\.config)?\.?([^\s:]*)/g;

/** A workflow error with names for the indexes of its definition: `Call the shop → url: is required`. */
export function definitionError(error: unknown, doc: Doc, catalogue: Catalogue): string {
  const ids = (toDefinition(doc)['nodes'] ?? []) as readonly { readonly id: string }[];
  return toErrorText(error).replaceAll(FIELD_PATTERN, (location, index: string, field: string) => {
    const entry = doc.nodes.get(ids[Number(index)]?.id ?? '');
    if (entry === undefined) return location;
    const title = getNodeTitle(entry, catalogue);
    return field === '' ? `${title}:` : `${title} → ${field}:`;
  });
}
