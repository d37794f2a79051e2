import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { settings } from '../config/settings.ts';
import { databaseName, readDatabaseUrl } from '../lib/text/parse-setting.ts';
import { moveToPostgres, type MoveStep } from '../store/migrate-to-postgres/move-to-postgres.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** ms between two lines about the progress, where no bar can be drawn. */
const TELL_EVERY = 1_000;
/** Columns of the bar itself. */
const BAR = 24;

/** Moves the data folder into PostgreSQL. */
export async function migrate(
  terminal: Terminal,
  { from, to }: { from: string; to: string },
  say: (line: string) => void,
): Promise<number> {
  if (from !== 'sqlite')
    throw new UsageError(
      `--from got ${JSON.stringify(from)}; it takes sqlite, the data folder of WEFT_DATA_DIR.`,
    );
  const url = readDatabaseUrl(to);
  if (url === null) throw new UsageError(`--to takes ${settings.DATABASE_URL.takes}.`);
  const { dataDir } = loadConfig(withoutDatabase(terminal.env));
  const place = databaseName(url);
  say(`Moving ${dataDir} to ${place}`);
  const teller = createTeller(terminal, say);
  try {
    const { rows, tables, files } = await moveToPostgres({
      dataDir,
      url,
      now: () => Date.now(),
      progress: teller.tell,
    });
    teller.end();
    say(`All is there, and was read back and compared: ${rows} rows of ${tables} tables, ${files} files.`);
  } catch (error) {
    teller.end();
    throw error;
  }
  say('The data folder was only read; keep it until you are content.');
  say(
    `Start the service with DATABASE_URL, and with WEFT_SECRET_KEY as it was: if you never set it, it is the line in ${dataDir}/secret.key.`,
  );
  return 0;
}

/** What is moved is the data folder, whatever the service is about to use. */
function withoutDatabase(env: Environment): Environment {
  const { DATABASE_URL: _url, REDIS_URL: _redis, WEFT_ROLE: _role, ...rest } = env;
  return rest;
}

/** A bar that is drawn over on a terminal, and a line now and then elsewhere. */
function createTeller(
  terminal: Terminal,
  say: (line: string) => void,
): { tell: (step: MoveStep) => void; end: () => void } {
  let last = 0;
  let isDrawn = false;
  return {
    tell: ({ what, isCheck, done, total }) => {
      const now = performance.now();
      if (now - last < (terminal.isInteractive ? 50 : TELL_EVERY)) return;
      last = now;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const text = `${isCheck ? 'checking' : 'copying'} ${what}: ${Math.floor(share * 100)} % (${done} of ${total})`;
      if (!terminal.isInteractive) return say(`  ${text}`);
      const full = Math.round(share * BAR);
      terminal.err(`\r\u001b[K${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${text}`);
      isDrawn = true;
    },
    end: () => {
      if (isDrawn) terminal.err('\r\u001b[K');
      isDrawn = false;
    },
  };
}
