import type { Catalog, Port } from './catalog.ts';
import type { Entry } from './document.ts';
import { listDynamicOutputs } from './structure.ts';
import { t } from '../../i18n/index.ts';

export type Ports = {
  readonly inputs: readonly Port[];
  /** Without `error`, which every node except triggers has. */
  readonly outputs: readonly Port[];
  readonly hasError: boolean;
};

export const errorPort: Port = {
  name: 'error',
  type: 'object',
  description: t('The error if the node fails'),
};

const anyIn: Port = { name: 'in', type: 'any', description: t('The input of the node') };
const anyOut: Port = { name: 'out', type: 'any', description: t('The output of the node') };

const cache = new WeakMap<Catalog, WeakMap<Entry, Ports>>();

/** The ports of a node in order. An unknown type is assumed to have one input and one output. */
export function getPorts(entry: Entry, catalog: Catalog): Ports {
  let ofCatalog = cache.get(catalog);
  if (ofCatalog === undefined) cache.set(catalog, (ofCatalog = new WeakMap()));
  let ports = ofCatalog.get(entry);
  if (ports === undefined) ofCatalog.set(entry, (ports = readPorts(entry, catalog)));
  return ports;
}

function readPorts(entry: Entry, catalog: Catalog): Ports {
  const type = catalog.get(entry.type);
  if (type === undefined) return { inputs: [anyIn], outputs: [anyOut], hasError: true };
  if (type.category === 'trigger') return { inputs: [], outputs: type.outputs, hasError: false };
  // The catalog lists the fields of a custom node as ports. Its real ports are `in`, `out` and its outputs.
  if (type.custom)
    return {
      inputs: [anyIn],
      outputs: [{ ...anyOut, type: 'object', description: t('All outputs by name') }, ...type.outputs],
      hasError: true,
    };
  return { inputs: type.inputs, outputs: [...type.outputs, ...listDynamicOutputs(entry)], hasError: true };
}

/** The names of the ports on which a run of the node can deliver a value, without those of fields. */
export function listOutputNames(entry: Entry, catalog: Catalog): string[] {
  const { outputs, hasError } = getPorts(entry, catalog);
  const isCustom = catalog.get(entry.type)?.custom === true;
  const names = (isCustom ? outputs.slice(0, 1) : outputs).map(({ name }) => name);
  return hasError ? [...names, errorPort.name] : names;
}

export function findOutput(ports: Ports, name: string | undefined): Port | undefined {
  if (name === undefined) return ports.outputs[0];
  if (name === errorPort.name && ports.hasError) return errorPort;
  return ports.outputs.find((port) => port.name === name);
}

export function findInput(ports: Ports, name: string | undefined): Port | undefined {
  return name === undefined ? ports.inputs[0] : ports.inputs.find((port) => port.name === name);
}

/** Whether values of an output type are assignable to an input type. */
export function isAssignable(output: string, input: string): boolean {
  return (
    output === 'any' || input === 'any' || output === input || (output === 'integer' && input === 'number')
  );
}

/** Whether a node of this type can be connected to an output, by default the first one. */
export function canFollow(
  source: Entry | undefined,
  port: string | undefined,
  type: string,
  catalog: Catalog,
): boolean {
  const output = source === undefined ? undefined : findOutput(getPorts(source, catalog), port);
  const input = getPorts({ id: '', type }, catalog).inputs[0];
  return output !== undefined && input !== undefined && isAssignable(output.type, input.type);
}
