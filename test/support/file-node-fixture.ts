import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { FileReference } from '../../src/contract/byte-source.ts';
import type { NodeFailure, NodeType, Outcome } from '../../src/contract/node-type.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { validateConfig } from '../../src/nodes/validate-config.ts';
import { openDiskFiles, type DiskFiles } from '../../src/store/files.ts';
import { createAttempt, closeRunners, makeRunner, settleAttempt } from './node-runner.ts';

type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** Nodes on the real runner, with files on disk. */
export class FileNodeFixture {
  made!: ReturnType<typeof makeRunner>;
  #folder!: string;
  #files!: DiskFiles;
  #count = 0;

  async open(): Promise<void> {
    this.#folder = mkdtempSync(path.join(tmpdir(), 'weft-file-nodes-'));
    this.#files = await openDiskFiles(this.#folder, Date.now);
    this.limitFiles(64 * 1024 ** 2);
  }

  async close(): Promise<void> {
    await closeRunners();
    rmSync(this.#folder, { recursive: true });
  }

  /** Replaces the runner by one with this maximum size of files, in bytes. */
  limitFiles(maxFileSize: number): void {
    this.made = makeRunner({ files: this.#files, maxFileSize });
  }

  /** Stores a file of the execution. */
  async store(bytes: Bytes | string, name = 'file.bin'): Promise<FileReference> {
    const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const { hash, size } =
      content instanceof Uint8Array
        ? { hash: await this.#files.put(content), size: content.length }
        : await this.#files.write(content);
    const id = `stored_${++this.#count}`;
    const row = { id, ownerId: 'usr_1', executionId: 'ex_1', hash, size, name, createdAt: 0 };
    this.made.rows.set(id, { ...row, contentType: 'application/octet-stream' });
    return { $file: { id, name, content_type: 'application/octet-stream', size } };
  }

  async read(reference: Json | undefined): Promise<Buffer> {
    const { id } = (reference as FileReference).$file;
    return Buffer.from((await this.#files.get(this.made.rows.get(id)!.hash))!);
  }

  async run(type: NodeType, config: JsonObject, input: Json = {}, signal?: AbortSignal): Promise<Outcome> {
    const [error] = validateConfig(type, config);
    if (error !== undefined) throw new Error(`${error.field} ${error.issue}`);
    const aborted = signal === undefined ? {} : { signal: () => signal };
    return await settleAttempt(this.made.runner.run(createAttempt(type, config, { input, ...aborted })));
  }

  /** The output of a node that succeeds. */
  async output(type: NodeType, config: JsonObject, input: Json = {}): Promise<Json | undefined> {
    const outcome = await this.run(type, config, input);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
    return outcome.outputs['out'];
  }

  /** The error of a node that fails. */
  async failure(type: NodeType, config: JsonObject, input: Json = {}): Promise<NodeFailure> {
    const outcome = await this.run(type, config, input);
    if (outcome.kind !== 'failed') throw new Error(`did not fail: ${JSON.stringify(outcome).slice(0, 1000)}`);
    return outcome.error;
  }
}

/** Creates a fixture for each test of the file. */
export function useFileNodeFixture(): FileNodeFixture {
  const fixture = new FileNodeFixture();
  beforeEach(() => fixture.open());
  afterEach(() => fixture.close());
  return fixture;
}
