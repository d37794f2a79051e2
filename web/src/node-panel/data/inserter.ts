import type { PathSegments } from '../model/insert-path.ts';

/** A field that paths can be inserted into. */
export type InsertTarget = {
  /** False if the field does not take this path. */
  insert(segments: PathSegments): boolean;
};

/** Inserts a path into the field that last had the focus. */
export type Inserter = {
  select(target: InsertTarget): void;
  /** The field no longer exists. */
  remove(target: InsertTarget): void;
  insert(segments: PathSegments): 'inserted' | 'refused' | 'no field';
};

export function createInserter(): Inserter {
  let selected: InsertTarget | null = null;
  return {
    select(target) {
      selected = target;
    },
    remove(target) {
      if (selected === target) selected = null;
    },
    insert(segments) {
      if (selected === null) return 'no field';
      return selected.insert(segments) ? 'inserted' : 'refused';
    },
  };
}
