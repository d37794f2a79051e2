import path from 'node:path';
import Database from 'better-sqlite3';
import type { Definition } from '../../../src/contract/definition.ts';
import type { ExecutionStatus, ExecutionTrigger, NodeError } from '../../../src/contract/execution.ts';
import { parseEvents, type JournalEvent } from '../../../src/engine/journal/journal.ts';

export type StoredExecution = {
  number: number;
  id: string;
  workflowId: string;
  version: number;
  status: ExecutionStatus;
  trigger: ExecutionTrigger;
  error: NodeError | null;
  worker: string | null;
  nextSeq: number;
  /** Numbers of the journal's rows, and all their events in order. */
  seqs: number[];
  events: JournalEvent[];
};

/** The data folder of a stopped service, read without its code: only documented columns. */
export type StoredState = {
  integrity: string;
  executions: StoredExecution[];
  workflows: Map<string, { version: number; name: string }>;
  versions: Map<string, Definition>;
  /** `subject status` → n, as stored and as counted from the rows. */
  kept: Map<string, number>;
  counted: Map<string, number>;
  /** Journal rows, timers and keys without an execution; timers of ended executions. */
  stray: { journal: number; timers: number; keys: number };
};

export function readStored(dataDir: string): StoredState {
  const db = new Database(path.join(dataDir, 'weft.db'), { readonly: true });
  try {
    const all = <T>(sql: string): T[] => db.prepare<[], T>(sql).all();
    const one = (sql: string): number => db.prepare<[], { n: number }>(sql).get()?.n ?? 0;
    const executions = new Map<number, StoredExecution>();
    type Row = Omit<StoredExecution, 'trigger' | 'error'> & { trigger: string; error: string | null };
    for (const row of all<Row>(
      `SELECT number, id, workflow_id AS workflowId, workflow_version AS version, status, started_by AS "trigger", error, worker,
       next_seq AS nextSeq FROM executions`,
    ))
      executions.set(row.number, {
        ...row,
        trigger: JSON.parse(row.trigger) as ExecutionTrigger,
        error: row.error === null ? null : (JSON.parse(row.error) as NodeError),
        seqs: [],
        events: [],
      });
    for (const row of all<{ execution: number; seq: number; events: string }>(
      `SELECT execution, seq, events FROM journal
       UNION ALL SELECT number, 0, events FROM executions WHERE events IS NOT NULL ORDER BY 1, 2`,
    )) {
      const execution = executions.get(row.execution);
      execution?.seqs.push(row.seq);
      execution?.events.push(...parseEvents(row.events));
    }
    type Count = { subject: string; status: string; n: number };
    const byKey = (rows: Count[]): Map<string, number> =>
      new Map(rows.filter((row) => row.n !== 0).map((row) => [`${row.subject} ${row.status}`, row.n]));
    const counts = (subject: string): Count[] =>
      all<Count>(`SELECT ${subject} AS subject, status, count(*) AS n FROM executions GROUP BY 1, 2`);
    const ended = (subject: string): Count[] =>
      all<Count>(
        `SELECT 'ended ' || ${subject} || ' ' || (created_at - created_at % 3600000) AS subject, status, count(*) AS n
         FROM executions WHERE status IN ('completed', 'failed', 'stopped') GROUP BY 1, 2`,
      );
    return {
      integrity: String(db.pragma('integrity_check', { simple: true })),
      executions: [...executions.values()],
      workflows: new Map(
        all<{ id: string; version: number; name: string }>('SELECT id, version, name FROM workflows').map(
          (row) => [row.id, row],
        ),
      ),
      versions: new Map(
        all<{ id: string; version: number; definition: string }>(
          'SELECT workflow_id AS id, version, definition FROM workflow_versions',
        ).map((row) => [`${row.id}@${row.version}`, JSON.parse(row.definition) as Definition]),
      ),
      kept: byKey([
        ...all<Count>('SELECT subject, status, n FROM counters'),
        ...all<Count>(
          `SELECT 'ended ' || subject || ' ' || start AS subject, status, sum(n) AS n FROM execution_statistics
           GROUP BY 1, 2`,
        ),
      ]),
      counted: byKey([
        ...counts(`'all'`),
        ...counts(`'owner:' || owner_id`),
        ...counts(`'workflow:' || workflow_id`),
        ...ended(`'owner:' || owner_id`),
        ...ended(`'workflow:' || workflow_id`),
      ]),
      stray: {
        journal: one(
          'SELECT count(*) AS n FROM journal WHERE execution NOT IN (SELECT number FROM executions)',
        ),
        timers: one(
          `SELECT count(*) AS n FROM timers WHERE execution NOT IN (SELECT number FROM executions WHERE status IN ('queued', 'running', 'waiting'))`,
        ),
        keys: one('SELECT count(*) AS n FROM dedupe WHERE execution_id NOT IN (SELECT id FROM executions)'),
      },
    };
  } finally {
    db.close();
  }
}
