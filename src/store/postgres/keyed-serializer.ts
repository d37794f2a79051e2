import type { Checkpoint } from '../../ports/store/checkpoint.ts';
import type { UserRow } from '../../ports/store/accounts/users.ts';
import type { WorkflowChange } from '../../ports/store/workflows.ts';
import type { TransactionName } from '../transactions/registry.ts';

/**
 * Writes of this process about the same resource run in the order in which they were requested, although they
 * use several connections. Between processes, database locks decide.
 */
export type KeyedSerializer = { run<T>(keys: readonly string[], run: () => Promise<T>): Promise<T> };

export function createKeyedSerializer(): KeyedSerializer {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: async (keys, run) => {
      const before = keys.map((key) => last.get(key)).filter((turn) => turn !== undefined);
      const turn = before.length === 0 ? run() : Promise.allSettled(before).then(run);
      const settled = turn.then(
        () => {},
        () => {},
      );
      for (const key of keys) last.set(key, settled);
      try {
        return await turn;
      } finally {
        for (const key of keys) if (last.get(key) === settled) last.delete(key);
      }
    },
  };
}

function readId(thing: unknown): string | null {
  if (typeof thing !== 'object' || thing === null) return null;
  const { id, executionId } = thing as { id?: unknown; executionId?: unknown };
  if (typeof id === 'string') return id;
  return typeof executionId === 'string' ? executionId : null;
}

/** The resources that a write concerns. */
export function listKeys(name: TransactionName, args: readonly unknown[]): string[] {
  if (name === 'commit')
    return (args[0] as readonly Checkpoint[]).map((checkpoint) => checkpoint.executionId);
  if (name === 'withAuditEvent') return listKeys(args[1] as TransactionName, args[2] as readonly unknown[]);
  if (name === 'stop' || name === 'putSignal') return [String(args[1])];
  if (name === 'saveWorkflow') return [(args[0] as WorkflowChange).row.id];
  if (name === 'createUser') return [(args[0] as UserRow).email.toLowerCase()];
  // All others have the resource as their first argument; when that is a row with many fields, they run one
  // at a time.
  const [first, second] = args;
  if (typeof first !== 'string') return [readId(first) ?? name];
  return [typeof second === 'string' ? `${first} ${second}` : first];
}
