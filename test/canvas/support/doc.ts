import { toDoc, type Doc, type JsonObject } from '../../../web/src/canvas/model/document.ts';

/** A document from `id: type` or `id: [type, config]`, and connections `from → to` or `from.port → to`. */
export function parseDocument(
  nodes: Readonly<Record<string, string | readonly [string, JsonObject]>>,
  connections: readonly string[] = [],
): Doc {
  return toDoc({
    nodes: Object.entries(nodes).map(([id, given], i) => {
      const [type, config] = typeof given === 'string' ? [given, {}] : given;
      return { id, type, config, position: { x: i * 300, y: 0 } };
    }),
    connections: connections.map((text) => {
      const [source = '', to = ''] = text.split(' → ');
      const [from = '', sourcePort] = source.split('.');
      return { from, to, ...(sourcePort === undefined ? {} : { sourcePort }) };
    }),
  });
}
