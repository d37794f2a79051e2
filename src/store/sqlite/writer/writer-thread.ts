import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { openForWriting } from '../connection.ts';
import { copyDatabase } from '../copy-database.ts';
import { toFailure } from '../failure.ts';
import type { CheckpointResult, CheckpointerMessage } from '../wal/wal-checkpointer.ts';
import type { Job, Report, ThreadSetup } from './protocol.ts';
import { decodeBatch } from './batch-codec.ts';
import { createReader } from '../reader.ts';
import { createWriter, type ThreadWorker } from './writer.ts';

/*
 * The entry of the store's threads: the writer, the only one that writes and waits for the disk; the reader,
 * for long reads; the copier, for one backup; the checkpointer of the write-ahead log. Jobs that arrive while
 * one group is being written form the next group.
 */
const MAX_GROUP_SIZE = 256;

type Message = Job | 'close';

function unpacked(job: Job): Job {
  if (job.kind !== 'commit') return job;
  return { id: job.id, kind: 'transaction', name: 'commit', args: [decodeBatch(job.batch)] };
}

function serve(port: MessagePort, worker: ThreadWorker, say: (report: Report) => void): void {
  port.on('message', (message: Message) => {
    const jobs: Job[] = [];
    let isClosing = false;
    for (let next: Message | undefined = message; next !== undefined;) {
      if (next === 'close') isClosing = true;
      else jobs.push(unpacked(next));
      if (isClosing || jobs.length >= MAX_GROUP_SIZE) break;
      next = (receiveMessageOnPort(port) as { message: Message } | undefined)?.message;
    }
    if (jobs.length > 0) say({ kind: 'outcomes', outcomes: worker.run(jobs) });
    if (isClosing) {
      worker.close();
      port.close();
    }
  });
}

/** A passive checkpoint waits for no connection and blocks none. */
function runCheckpoints(port: MessagePort, file: string): void {
  const { db } = openForWriting(file);
  port.on('message', (message: CheckpointerMessage) => {
    if (message === 'close') {
      db.close();
      port.close();
      return;
    }
    let failure: CheckpointResult['failure'] = null;
    try {
      db.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      failure = toFailure(error);
    }
    port.postMessage({ failure } satisfies CheckpointResult);
  });
}

async function start(port: MessagePort, setup: ThreadSetup): Promise<void> {
  const say = (report: Report): void => port.postMessage(report);
  try {
    if (setup.role === 'checkpointer') return runCheckpoints(port, setup.file);
    if (setup.role === 'writer') serve(port, createWriter(setup, say), say);
    if (setup.role === 'reader') serve(port, createReader(setup), say);
    if (setup.role === 'copier') await copyDatabase(setup.file, setup.target);
    say({ kind: 'ready' });
    if (setup.role === 'copier') port.close();
  } catch (error) {
    say({ kind: 'failed', failure: toFailure(error) });
    port.close();
  }
}

if (parentPort === null) throw new Error('This file must run in a worker thread.');
await start(parentPort, workerData as ThreadSetup);
