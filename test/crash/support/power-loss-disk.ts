import path from 'node:path';
import type { Step } from './disk-trace.ts';

/** The unit that a disk writes atomically, in bytes. */
const SECTOR_BYTES = 512;

type Change = { began: number; ended: number } & (
  | { kind: 'write'; offset: number; bytes: Buffer }
  | { kind: 'cut'; size: number }
);
/** Only the first `size` bytes of `data` count. */
type Contents = { data: Buffer; size: number };
type File = { sure: Contents; unsure: Change[] };
/** `file` null: the name is removed. */
type Naming = { began: number; ended: number; name: string; file: File | null; isNew: boolean };

/**
 * A folder on a disk that may lose power. Only synced data is certain. Of everything else, any sectors of any
 * write may be present, in any order; of the changes to the names of a folder, any number of the last ones
 * may be missing. A sync of a file also makes its first name certain, as on common file systems.
 */
export class SimulatedDisk {
  readonly #files = new Map<string, File>();
  readonly #names = new Map<string, File>();
  readonly #namings = new Map<string, Naming[]>();

  constructor(contents: ReadonlyMap<string, Buffer>) {
    for (const [name, data] of contents) {
      const file = { sure: { data: Buffer.from(data), size: data.length }, unsure: [] };
      this.#files.set(name, file);
      this.#names.set(name, file);
    }
  }

  /** Steps come in the order in which they began. */
  take(step: Step): void {
    if (step.kind === 'said') return;
    const { began, ended } = step;
    if (step.kind === 'move') {
      const file = this.#files.get(step.from);
      if (file === undefined) throw new Error(`${step.from} was moved, but never created.`);
      this.#files.delete(step.from);
      this.#files.set(step.to, file);
      this.#name({ began, ended, name: step.to, file, isNew: false });
      this.#name({ began, ended, name: step.from, file: null, isNew: false });
      return;
    }
    const known = this.#files.get(step.file);
    if (step.kind === 'make') {
      if (known !== undefined) return;
      const file = { sure: { data: Buffer.alloc(0), size: 0 }, unsure: [] };
      this.#files.set(step.file, file);
      this.#name({ began, ended, name: step.file, file, isNew: true });
    } else if (step.kind === 'remove') {
      this.#files.delete(step.file);
      this.#name({ began, ended, name: step.file, file: null, isNew: false });
    } else if (step.kind === 'sync') this.#sync(step.file, began);
    else if (known === undefined) throw new Error(`${step.file} was written, but never created.`);
    else known.unsure.push(step);
  }

  #name(naming: Naming): void {
    const folder = path.dirname(naming.name);
    const list = this.#namings.get(folder) ?? [];
    this.#namings.set(folder, list);
    list.push(naming);
  }

  /** Operations that had ended before the sync began are certain from now on. */
  #sync(name: string, began: number): void {
    const file = this.#files.get(name);
    if (file === undefined) {
      const list = this.#namings.get(name) ?? [];
      const sure = list.filter((naming) => naming.ended < began);
      for (const naming of sure) this.#setName(naming);
      this.#namings.set(
        name,
        list.filter((naming) => !sure.includes(naming)),
      );
      return;
    }
    const sure = file.unsure.filter((change) => change.ended < began);
    for (const change of sure) put(file.sure, change, () => true);
    file.unsure = file.unsure.filter((change) => !sure.includes(change));
    for (const [folder, list] of this.#namings) {
      const first = list.findIndex((naming) => naming.isNew && naming.file === file && naming.ended < began);
      if (first < 0) continue;
      this.#setName(list[first]!);
      this.#namings.set(folder, list.toSpliced(first, 1));
    }
  }

  #setName({ name, file }: Naming): void {
    if (file === null) this.#names.delete(name);
    else this.#names.set(name, file);
  }

  /** One of the possible contents of the disk after a power loss at this moment. */
  image(random: () => number): Map<string, Buffer> {
    const names = new Map(this.#names);
    for (const list of this.#namings.values()) {
      const kept = Math.floor(random() * (list.length + 1));
      for (const { name, file } of list.slice(0, kept))
        if (file === null) names.delete(name);
        else names.set(name, file);
    }
    // All, none, or some of it: each is likely enough.
    const share = [0, 1, 0.5, random()][Math.floor(random() * 4)]!;
    const image = new Map<string, Buffer>();
    for (const [name, file] of names) {
      const { data, size } = file.sure;
      const contents = { data: Buffer.from(data.subarray(0, size)), size };
      for (const change of file.unsure) put(contents, change, () => random() < share);
      image.set(name, contents.data.subarray(0, contents.size));
    }
    return image;
  }
}

/** `keeps` is called for every sector of a write, and once for a truncation. */
function put(contents: Contents, change: Change, keeps: () => boolean): void {
  if (change.kind === 'cut') {
    if (keeps()) resize(contents, change.size);
    return;
  }
  const end = change.offset + change.bytes.length;
  for (let from = change.offset; from < end;) {
    const to = Math.min(end, (Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    if (keeps()) {
      if (to > contents.size) resize(contents, to);
      change.bytes.copy(contents.data, from, from - change.offset, to - change.offset);
    }
    from = to;
  }
}

/** Unwritten ranges read as zeros. */
function resize(contents: Contents, size: number): void {
  if (size > contents.data.length) {
    const larger = Buffer.alloc(Math.max(size, 2 * contents.data.length));
    contents.data.copy(larger, 0, 0, contents.size);
    contents.data = larger;
  }
  contents.data.fill(0, Math.min(size, contents.size), Math.max(size, contents.size));
  contents.size = size;
}
