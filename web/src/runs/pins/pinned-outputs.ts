import type { NodeRun } from 'weft-client';
import { errorPort } from '../../canvas/model/ports.ts';

/**
 * An output that a run from the canvas uses instead of running the node. `ports`: its output ports; with
 * several, `output` is an object by port; null: the first port of the node.
 */
export type PinnedOutput = Readonly<{ output: unknown; ports: string[] | null }>;

/** By node id. */
export type PinnedOutputs = ReadonlyMap<string, PinnedOutput>;

/**
 * What a run of a node delivered; null if nothing. `all`: the output ports of the node. A run also lists
 * fields of its output that connections use as ports.
 */
export function readOutput(run: NodeRun | undefined, all: readonly string[]): PinnedOutput | null {
  const ports = run?.output_ports.filter((port) => all.includes(port)) ?? [];
  if (run === undefined || ports.length === 0) return null;
  if (run.status === 'completed') return { output: run.output, ports: toPinPorts(ports, all) };
  const isHandled = run.status === 'failed' && run.error !== null && ports.includes(errorPort.name);
  return isHandled ? { output: run.error, ports: [errorPort.name] } : null;
}

/** Null for the first port of a node, which needs no name. `all`: the output ports of the node. */
export function toPinPorts(used: readonly string[], all: readonly string[]): string[] | null {
  return used.length === 1 && used[0] === all[0] ? null : [...used];
}

/** Pinned outputs as fields of an execute request; no fields without any. */
export function toPinFields(pinned: PinnedOutputs): {
  pins?: Record<string, unknown>;
  pin_ports?: Record<string, string[]>;
} {
  const entries = [...pinned];
  const ports = entries.flatMap(([id, one]): [string, string[]][] =>
    one.ports === null ? [] : [[id, one.ports]],
  );
  return {
    ...(entries.length > 0 && { pins: Object.fromEntries(entries.map(([id, { output }]) => [id, output])) }),
    ...(ports.length > 0 && { pin_ports: Object.fromEntries(ports) }),
  };
}
