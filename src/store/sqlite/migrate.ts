import type Database from 'better-sqlite3';
import { migrations as known } from '../migrations/migrations.ts';

/**
 * Migrates the schema to this program's version: each migration runs in its own transaction together with its
 * number, so a process killed at any point leaves a schema from which the next start continues. Throws when
 * the schema is newer than this program.
 */
export function migrate(db: Database.Database, now: number, migrations = known): void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)',
  );
  const version = checkSchema(db, migrations);
  for (const [i, { name, sql }] of migrations.entries()) {
    const number = i + 1;
    if (number <= version) continue;
    const apply = db.transaction(() => {
      db.exec(sql);
      db.prepare('INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)').run(number, name, now);
    });
    apply.immediate();
  }
}

/** The schema's version, 0 when empty. Throws when it is newer than this program. */
export function checkSchema(db: Database.Database, migrations = known): number {
  const row = db.prepare<[], { n: number }>('SELECT coalesce(max(number), 0) AS n FROM migrations').get();
  const version = row?.n ?? 0;
  if (version > migrations.length) {
    throw new Error(
      `The database was written by a newer version of Weft: its schema is ${version}, this program supports up to ${migrations.length}. Start the newer program, or restore a backup.`,
    );
  }
  return version;
}
