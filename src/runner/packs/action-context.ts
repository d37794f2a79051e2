import { randomUUID } from 'node:crypto';
import { FILE_MARK, type PackInput, type PackOutput } from './pack-messages.ts';
import { readContextVersion, toItem, type Item, type Piece } from './piece.ts';

/* In the process of a pack: what an action receives. */

/** URLs of an Activepieces server, which does not exist here. The name is reserved (RFC 6761). */
export const NO_SERVER = { apiUrl: 'https://weft.invalid/', publicUrl: 'https://weft.invalid/', token: '' };

export function createActionContext({ auth, props, files }: Pick<PackInput, 'auth' | 'props' | 'files'>): {
  context: Item;
  written: PackOutput['files'];
} {
  const written: PackOutput['files'] = [];
  const values = withFiles(props, files);
  const context = {
    auth,
    propsValue: values,
    server: NO_SERVER,
    serverUrl: NO_SERVER.publicUrl,
    executionType: 'BEGIN',
    step: { name: 'node' },
    project: { id: 'weft', externalId: () => Promise.resolve(undefined) },
    flows: { current: { id: 'weft', version: { id: 'weft' } }, list: refuseCall('flows.list') },
    store: { get: refuseCall('store'), put: refuseCall('store'), delete: refuseCall('store') },
    connections: { get: refuseCall('connections') },
    agent: { tools: refuseCall('agent.tools') },
    tags: { add: () => Promise.resolve() },
    output: { update: () => Promise.resolve() },
    files: {
      write: ({ fileName, data }: { fileName: unknown; data: Uint8Array | string }): Promise<string> => {
        const id = `${FILE_MARK}${randomUUID()}`;
        written.push({
          id,
          name: String(fileName),
          data: Buffer.from(data as Uint8Array).toString('base64'),
        });
        return Promise.resolve(id);
      },
    },
    run: {
      id: 'weft',
      isTest: false,
      stop: refuseCall('run.stop'),
      respond: refuseCall('run.respond'),
      pause: refuseCall('run.pause'),
      createWaitpoint: refuseCall('run.createWaitpoint'),
      waitForWaitpoint: refuseCall('run.waitForWaitpoint'),
    },
    generateResumeUrl: refuseCall('generateResumeUrl'),
  };
  return { context, written };
}

export function refuseCall(name: string): () => never {
  return () => {
    throw new Error(`The pack uses ${name}, which Weft does not provide`);
  };
}

/** Replaces the texts that stand for files. */
function withFiles(value: unknown, files: PackInput['files']): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith(FILE_MARK) || !Object.hasOwn(files, value)) return value;
    const { name, data } = files[value]!;
    const dot = name.lastIndexOf('.');
    return {
      filename: name,
      extension: dot === -1 ? undefined : name.slice(dot + 1),
      data: Buffer.from(data, 'base64'),
      base64: data,
    };
  }
  if (Array.isArray(value)) return value.map((one) => withFiles(one, files));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withFiles(one, files)]));
}

/** Pieces of the first context version take the bare secret or fields; later ones take the connection. */
export function toActionAuth(piece: Piece, given: unknown): unknown {
  const auth = toItem(given);
  if (given === null || given === undefined) return undefined;
  if (readContextVersion(piece) !== null) return given;
  if (auth['type'] === 'SECRET_TEXT') return auth['secret_text'];
  return auth['type'] === 'CUSTOM_AUTH' ? auth['props'] : given;
}
