import { faultText } from '../../data/fault.ts';
import { definitionOf, titleOf, type Doc } from '../model/document.ts';

const PLACE = /definition\.nodes\[(\d+)\](?:\.config)?\.?/g;

/** What the service has against a workflow, with its nodes by name: nobody counts them. */
export function definitionFault(error: unknown, doc: Doc): string {
  const ids = (definitionOf(doc)['nodes'] ?? []) as readonly { readonly id: string }[];
  return faultText(error).replaceAll(PLACE, (place, at: string) => {
    const entry = doc.nodes.get(ids[Number(at)]?.id ?? '');
    return entry === undefined ? place : `${titleOf(entry)}: `;
  });
}
