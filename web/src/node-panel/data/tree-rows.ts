import { isRecord } from '../model/field-path.ts';
import { formatPath, type PathSegments } from '../model/insert-path.ts';

/** A value at the top of the tree. */
export type TreeRoot = {
  readonly label: string;
  readonly segments: PathSegments;
  readonly value: unknown;
  /** Expanded at first. */
  readonly isOpen: boolean;
};

export type TreeRow = {
  /** The path as text: unique in the tree. */
  readonly id: string;
  readonly parent: string | null;
  readonly label: string;
  readonly segments: PathSegments;
  readonly value: unknown;
  /** 1 for a root. */
  readonly level: number;
  /** Null for a value without fields or items. */
  readonly isOpen: boolean | null;
  /** Fields or items that are not shown; the row shows more of them instead of a value. */
  readonly more: number;
};

/** What the user changed: expanded or collapsed rows, and how many parts of a row are shown. */
export type TreeView = {
  readonly open: ReadonlyMap<string, boolean>;
  readonly counts: ReadonlyMap<string, number>;
};

export const emptyView: TreeView = { open: new Map(), counts: new Map() };

/** Parts of one value shown at first, and added by each request for more. */
export const PARTS_STEP = 100;

/** The visible rows of a tree, top to bottom; parts of collapsed values are not visited. */
export function listTreeRows(roots: readonly TreeRoot[], { open, counts }: TreeView): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (
    label: string,
    segments: PathSegments,
    value: unknown,
    level: number,
    parent: string | null,
    isOpenAtFirst: boolean,
  ): void => {
    const id = formatPath(segments);
    const size = getSize(value);
    const isOpen = size === 0 ? null : (open.get(id) ?? isOpenAtFirst);
    rows.push({ id, parent, label, segments, value, level, isOpen, more: 0 });
    if (isOpen !== true) return;
    const count = counts.get(id) ?? PARTS_STEP;
    for (const [segment, part] of listParts(value, count))
      add(String(segment), [...segments, segment], part, level + 1, id, level === 1 && isOpenAtFirst);
    if (size > count)
      rows.push({
        id: `${id} more`,
        parent: id,
        label: '',
        segments,
        value: undefined,
        level: level + 1,
        isOpen: null,
        more: size - count,
      });
  };
  for (const { label, segments, value, isOpen } of roots) add(label, segments, value, 1, null, isOpen);
  return rows;
}

function getSize(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : 0;
}

function listParts(value: unknown, count: number): [string | number, unknown][] {
  if (Array.isArray(value)) return (value as unknown[]).slice(0, count).map((item, index) => [index, item]);
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .slice(0, count)
    .map((key) => [key, value[key]]);
}
