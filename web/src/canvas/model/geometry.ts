import type { Catalogue } from './catalogue.ts';
import type { Entry } from './document.ts';
import { portsOf } from './ports.ts';

/** Pixels at zoom 1. Everything about the size of a node is known without drawing it: nothing has to be measured. */
export const GRID = 20;
export const CARD_WIDTH = 220;
export const CARD_HEAD = 60;
export const PORT_ROW = 22;
export const CARD_FOOT = 16;
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

const remembered = new WeakMap<Catalogue, WeakMap<Entry, Size>>();

/** The size of a node that runs no others. */
export function cardSize(entry: Entry, catalogue: Catalogue): Size {
  let sizes = remembered.get(catalogue);
  if (sizes === undefined) remembered.set(catalogue, (sizes = new WeakMap()));
  let size = sizes.get(entry);
  if (size === undefined) {
    const { inputs, outputs } = portsOf(entry, catalogue);
    const rows = Math.max(inputs.length, outputs.length);
    const height = rows <= 1 ? CARD_HEAD : CARD_HEAD + rows * PORT_ROW + CARD_FOOT;
    sizes.set(entry, (size = { width: CARD_WIDTH, height }));
  }
  return size;
}

/** The positions of a node's ports. A single port per side is in the header, others are in rows below it. */
export function handlesOf(entry: Entry, catalogue: Catalogue, size: Size): Handle[] {
  const { inputs, outputs, hasError } = portsOf(entry, catalogue);
  const inRows = Math.max(inputs.length, outputs.length) > 1;
  const y = (row: number): number => (inRows ? CARD_HEAD + row * PORT_ROW + PORT_ROW / 2 : CARD_HEAD / 2);
  return [
    ...inputs.map(({ name }, row): Handle => ({
      port: name,
      side: 'in',
      x: 0,
      y: inputs.length === 1 ? CARD_HEAD / 2 : y(row),
    })),
    ...outputs.map(({ name }, row): Handle => ({ port: name, side: 'out', x: size.width, y: y(row) })),
    ...(hasError
      ? [{ port: 'error', side: 'error', x: size.width, y: size.height - ERROR_UP } as const]
      : []),
  ];
}
