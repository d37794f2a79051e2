import type { Catalog } from '../catalog.ts';
import type { Entry } from '../document.ts';
import { getPorts } from '../ports.ts';

/** Sizes in pixels at zoom 1. The size of a node is computed, never measured. */
export const GRID = 20;
export const CARD_WIDTH = 220;
export const CARD_HEAD = 60;
export const PORT_ROW = 22;
/** From the top of every node to its first port. An edge between nodes with the same top is straight. */
export const FIRST_PORT_Y = CARD_HEAD / 2;
/** From the middle of a port to the start of its edges. */
export const PORT_RADIUS = 8;
/** From the bottom of a node to its error port. */
const ERROR_UP = 11;

export type Size = { readonly width: number; readonly height: number };
export type Handle = {
  readonly port: string;
  readonly side: 'in' | 'out' | 'error';
  /** The middle of the port, from the corner of the node. */
  readonly x: number;
  readonly y: number;
};

const cache = new WeakMap<Catalog, WeakMap<Entry, Size>>();

/** The size of a node without bodies. */
export function measureCard(entry: Entry, catalog: Catalog): Size {
  let sizes = cache.get(catalog);
  if (sizes === undefined) cache.set(catalog, (sizes = new WeakMap()));
  let size = sizes.get(entry);
  if (size === undefined) {
    const { inputs, outputs } = getPorts(entry, catalog);
    const rows = Math.max(inputs.length, outputs.length);
    const height = CARD_HEAD + Math.max(0, rows - 1) * PORT_ROW;
    sizes.set(entry, (size = { width: CARD_WIDTH, height }));
  }
  return size;
}

/** The positions of a node's ports: the first of each side in the header, the others in rows below it. */
export function getHandles(entry: Entry, catalog: Catalog, size: Size): Handle[] {
  const { inputs, outputs, hasError } = getPorts(entry, catalog);
  const y = (row: number): number => FIRST_PORT_Y + row * PORT_ROW;
  return [
    ...inputs.map(({ name }, row): Handle => ({ port: name, side: 'in', x: 0, y: y(row) })),
    ...outputs.map(({ name }, row): Handle => ({ port: name, side: 'out', x: size.width, y: y(row) })),
    ...(hasError
      ? [{ port: 'error', side: 'error', x: size.width, y: size.height - ERROR_UP } as const]
      : []),
  ];
}
