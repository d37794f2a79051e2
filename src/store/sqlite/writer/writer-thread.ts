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
 * The entry of the store's threads: the writer, which alone writes and waits for the disk; the reader, which does what
 * takes long; the copier, which makes one backup; the log carrier, which takes the write-ahead log over. Jobs that arrive while one group is on its way to the disk form the
 * next group.
 */
const MAX_GROUP = 256;

type Message = Job | 'close';

function unpacked(job: Job): Job {
  if (job.kind !== 'commit') return job;
  return { id: job.id, kind: 'procedure', name: 'commit', args: [decodeBatch(job.batch)] };
}

function serve(port: MessagePort, worker: ThreadWorker, say: (report: Report) => void): void {
  port.on('message', (message: Message) => {
    const jobs: Job[] = [];
    let isClosing = false;
    for (let next: Message | undefined = message; next !== undefined;) {
      if (next === 'close') isClosing = true;
      else jobs.push(unpacked(next));
      if (isClosing || jobs.length >= MAX_GROUP) break;
      next = (receiveMessageOnPort(port) as { message: Message } | undefined)?.message;
    }
    if (jobs.length > 0) say({ kind: 'outcomes', outcomes: worker.run(jobs) });
    if (isClosing) {
      worker.close();
      port.close();
    }
  });
}

/** A passive checkpoint waits for nobody and hinders nobody. */
function carryLog(port: MessagePort, file: string): void {
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
    if (setup.role === 'log-carrier') return carryLog(port, setup.file);
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

if (parentPort === null) throw new Error('This file is the entry of a thread.');
await start(parentPort, workerData as ThreadSetup);
