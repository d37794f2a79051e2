/*
 * File operations below a folder and bytes sent over sockets by a process, in order, from a log of strace.
 * Calls of two threads overlap, so a call has a line where it began and one where it ended.
 */

export type Write = { file: string; offset: number; bytes: Buffer };
export type Step =
  | ({ kind: 'write'; began: number; ended: number } & Write)
  | { kind: 'cut'; began: number; ended: number; file: string; size: number }
  /** A sync of a file or of a folder. */
  | { kind: 'sync'; began: number; ended: number; file: string }
  | { kind: 'make'; began: number; ended: number; file: string }
  | { kind: 'move'; began: number; ended: number; from: string; to: string }
  | { kind: 'remove'; began: number; ended: number; file: string }
  /** Bytes sent over a socket. */
  | { kind: 'said'; began: number; ended: number; text: string };

const calls =
  'openat,open,creat,write,writev,pwrite64,pwritev,ftruncate,truncate,fallocate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat';

/** The command before the program. Times double under it. */
export function traceDisk(log: string): string[] {
  return ['strace', '-f', '-yy', '-xx', '-s', '4000000', '-o', log, '-e', `trace=${calls}`];
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex');
const named = (text: string): string => (text.includes('\\x') ? hex(text).toString() : text);

/** Throws on any unknown file operation in the folder, so that nothing is omitted. */
export function readTrace(log: string, folder: string): Step[] {
  const steps: Step[] = [];
  const open = new Map<string, { call: string; began: number }>();
  /** Files opened so that every write is also a sync. */
  const synced = new Set<string>();
  /** The offset of the next write() of a descriptor. */
  const at = new Map<string, number>();
  const isOurs = (file: string): boolean => file.startsWith(`${folder}/`) && !file.endsWith('-shm');
  let line = 0;
  for (const text of log.split('\n')) {
    line++;
    const parts = /^(\d+) +(.*)$/.exec(text);
    if (parts === null) continue;
    const [, thread, rest] = parts as unknown as [string, string, string];
    let call = rest;
    let began = line;
    if (rest.endsWith('<unfinished ...>')) {
      open.set(thread, { call: rest.slice(0, -'<unfinished ...>'.length).trimEnd(), began });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    if (resumed !== null) {
      const before = open.get(thread);
      if (before === undefined) throw new Error(`A call was resumed that never began: line ${line}.`);
      open.delete(thread);
      ({ began } = before);
      call = before.call + resumed[1]!;
    }
    take(call, began, line);
  }
  // A call in progress at the end may have been done in part.
  for (const { call, began } of open.values())
    if (/^(pwrite64|write)\(/.test(call)) take(`${call}) = 0`, began, Infinity);
  return steps.toSorted((a, b) => a.began - b.began);

  function take(call: string, began: number, ended: number): void {
    const name = /^(\w+)\(/.exec(call)?.[1];
    if (name === undefined || / = -1 E/.test(call)) return;
    const when = { began, ended };
    const target = /^\w+\((\d+)<([^>]*(?:->[^>]*)?)>/.exec(call);
    const fd = target?.[1] ?? '';
    const file = named(target?.[2] ?? '');
    const strings = [...call.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((found) => found[1]!);
    if (name === 'openat' || name === 'open' || name === 'creat') {
      const path = hex(strings[0] ?? '').toString();
      const opened = /= (\d+)</.exec(call)?.[1];
      if (opened !== undefined) at.set(opened, 0);
      if (!isOurs(path)) return;
      if (call.includes('O_DSYNC')) synced.add(path);
      if (call.includes('O_CREAT')) steps.push({ kind: 'make', ...when, file: path });
      if (call.includes('O_TRUNC')) steps.push({ kind: 'cut', ...when, file: path, size: 0 });
    } else if (name === 'write' || name === 'writev') {
      const bytes = Buffer.concat(strings.map(hex));
      if (file.startsWith('TCP')) steps.push({ kind: 'said', ...when, text: bytes.toString('latin1') });
      if (!isOurs(file)) return;
      const offset = at.get(fd) ?? 0;
      at.set(fd, offset + bytes.length);
      steps.push({ kind: 'write', ...when, file, offset, bytes });
    } else if (name === 'pwrite64') {
      if (!isOurs(file)) return;
      const offset = /", \d+, (\d+)/.exec(call)?.[1];
      if (offset === undefined) throw new Error(`Not understood: ${call.slice(-80)}`);
      steps.push({ kind: 'write', ...when, file, offset: Number(offset), bytes: hex(strings[0]!) });
      if (synced.has(file) && ended < Infinity)
        steps.push({ kind: 'sync', began: ended + 0.25, ended: ended + 0.5, file });
    } else if (name === 'ftruncate') {
      if (isOurs(file)) steps.push({ kind: 'cut', ...when, file, size: Number(/>, (\d+)\)/.exec(call)![1]) });
    } else if (name === 'fsync' || name === 'fdatasync') {
      if (isOurs(`${file}/`)) steps.push({ kind: 'sync', ...when, file });
    } else if (name === 'rename') {
      const [from, to] = strings.map((each) => hex(each).toString()) as [string, string];
      if (isOurs(from) || isOurs(to)) steps.push({ kind: 'move', ...when, from, to });
    } else if (name === 'unlink') {
      const path = hex(strings[0]!).toString();
      if (isOurs(path)) steps.push({ kind: 'remove', ...when, file: path });
    } else if (name !== 'mkdir' && strings.some((each) => isOurs(hex(each).toString())))
      throw new Error(`Not understood: ${name}.`);
  }
}
