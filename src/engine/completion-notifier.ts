import { jsonSize } from '../lib/json-size.ts';
import type { Json } from '../lib/json.ts';
import { isSettled } from '../contract/execution.ts';
import type { Clock } from '../ports/clock.ts';
import type { ExecutionStore } from '../ports/store/executions.ts';
import type { Cluster, LeaderElection } from './leader-election.ts';
import type { CompletionHandle } from './engine-api.ts';
import type { ExecutionReader } from './execution-reader.ts';
import { CompletionWaiters } from './completion-waiters.ts';

/** Bytes (as JSON) of an output that is told to other processes; a larger one they read. */
const toldOutput = 16 * 1024;
/** ms between two looks for ends that were not told, while they are told. */
const look = 2_000;
/** The same while they are not told; it is looked this often whether a look is due. */
export const lookAlone = 250;
/** Read at once; and asked at once for which of them have ended. */
const atOnce = 20;
const askedAtOnce = 1_000;

type CompletionNotifierDeps = {
  executions: ExecutionStore;
  reader: ExecutionReader;
  clock: Clock;
  cluster: Cluster | null;
  election: LeaderElection | null;
  report: (message: string, error: unknown) => void;
};

/** Tells whoever waits of answers and ends, in whatever process they came about. */
export class CompletionNotifier {
  private readonly deps: CompletionNotifierDeps;
  private readonly watchers = new CompletionWaiters();
  private looked = 0;

  constructor(deps: CompletionNotifierDeps) {
    this.deps = deps;
  }

  /** Of one that is about to start here. */
  add(id: string, ownerId: string, now: number): CompletionHandle {
    return this.watchers.add(id, ownerId, now);
  }

  /** Of any one; what was before is read: an end, and where it is asked for an answer of one that goes on. */
  watch(ownerId: string, id: string, andAnswer: boolean): CompletionHandle {
    const watch = this.add(id, ownerId, this.deps.clock.now());
    void this.read(ownerId, id, { andAnswer });
    return watch;
  }

  /** Whom the executions of this process tell. Who waits in another process is told, too. */
  get told(): Pick<CompletionWaiters, 'answered' | 'ended'> {
    const { watchers } = this;
    const { cluster, election } = this.deps;
    if (cluster === null) return watchers;
    const { bus } = cluster;
    const small = (value: Json): boolean => jsonSize(value, toldOutput) <= toldOutput;
    return {
      answered: (executionId, answer) => {
        watchers.answered(executionId, answer);
        if (election?.others === 0) return;
        bus.tell('answered', { executionId, answer: small(answer.body) ? answer : null });
      },
      ended: (executionId, end) => {
        watchers.ended(executionId, end);
        if (election?.others === 0) return;
        bus.tell('ended', { executionId, end: small(end.output) ? end : null });
      },
    };
  }

  /** What other processes tell from now on. */
  hear({ bus }: Cluster): void {
    bus.hear('ended', ({ executionId, end }) => {
      if (end !== null) this.watchers.ended(executionId, end);
      else void this.readAll([executionId], false);
    });
    bus.hear('answered', ({ executionId, answer }) => {
      if (answer !== null) this.watchers.answered(executionId, answer);
      else void this.readAll([executionId], true);
    });
  }

  /** A message may be lost: who has waited for long is told by the store. */
  async lookForLost(areTold: boolean): Promise<void> {
    const { clock, executions } = this.deps;
    const now = clock.now();
    if (now - this.looked < (areTold ? look : lookAlone)) return;
    this.looked = now;
    const waited = this.watchers.since(areTold ? now - look : now);
    if (!areTold) return this.readAll(waited, true);
    for (let i = 0; i < waited.length; i += askedAtOnce)
      await this.readAll(await executions.settledOf(waited.slice(i, i + askedAtOnce)), false);
  }

  private async readAll(ids: readonly string[], andAnswers: boolean): Promise<void> {
    for (let i = 0; i < ids.length; i += atOnce)
      await Promise.all(
        ids.slice(i, i + atOnce).map(async (id) => {
          const ownerId = this.watchers.ownerOf(id);
          if (ownerId !== null) await this.read(ownerId, id, { andAnswer: andAnswers });
        }),
      );
  }

  /**
   * Tells those who wait, when it has ended without this process. `isGone`: or is not there any more; `andAnswer`: or has
   * answered. Never rejects.
   */
  async read(
    ownerId: string,
    id: string,
    { isGone = false, andAnswer = false }: { isGone?: boolean; andAnswer?: boolean } = {},
  ): Promise<void> {
    const { watchers } = this;
    try {
      if (!watchers.has(id)) return;
      const row = await this.deps.executions.get(ownerId, id);
      if (row === null)
        return isGone ? watchers.ended(id, { status: 'stopped', output: null, error: null }) : undefined;
      if (!isSettled(row.status) && !andAnswer) return;
      const view = await this.deps.reader.inspect(row);
      if (view.answer !== null) watchers.answered(id, view.answer);
      if (!isSettled(row.status)) return;
      watchers.ended(id, { status: row.status, output: view.output, error: row.error });
    } catch (error) {
      this.deps.report('the end of an execution could not be read', error);
    }
  }
}
