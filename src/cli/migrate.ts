import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { settings } from '../config/settings.ts';
import { readDatabaseName, readDatabaseUrl } from '../lib/text/parse-setting.ts';
import { moveToPostgres, type MoveStep } from '../store/migrate-to-postgres/move-to-postgres.ts';
import type { Terminal } from './terminal/terminal.ts';
import { UsageError } from './usage-error.ts';

/** Interval between two progress lines without a progress bar, ms. */
const PROGRESS_INTERVAL_MS = 1_000;
/** Width of the bar, in columns. */
const BAR_WIDTH = 24;

/** Migrates the data folder to PostgreSQL. */
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
  const target = readDatabaseName(url);
  say(`Moving ${dataDir} to ${target}`);
  const progressBar = createProgressBar(terminal, say);
  try {
    const { rows, tables, files } = await moveToPostgres({
      dataDir,
      url,
      now: () => Date.now(),
      progress: progressBar.show,
    });
    progressBar.end();
    say(`All is there, and was read back and compared: ${rows} rows of ${tables} tables, ${files} files.`);
  } catch (error) {
    progressBar.end();
    throw error;
  }
  if (terminal.env['WEFT_FILES_URL'] !== undefined)
    say('Files in the bucket of WEFT_FILES_URL stay there: keep the setting.');
  say('The data folder was only read; keep it until you are content.');
  say(
    `Start the service with DATABASE_URL, and with WEFT_SECRET_KEY as it was: if you never set it, it is the line in ${dataDir}/secret.key.`,
  );
  return 0;
}

/** The source is the data folder, even if the service is already configured for a database. */
function withoutDatabase(env: Environment): Environment {
  const { DATABASE_URL: _url, REDIS_URL: _redis, WEFT_ROLE: _role, ...rest } = env;
  return rest;
}

/** Draws a progress bar on a terminal, and prints progress lines elsewhere. */
function createProgressBar(
  terminal: Terminal,
  say: (line: string) => void,
): { show: (step: MoveStep) => void; end: () => void } {
  let last = 0;
  let isDrawn = false;
  return {
    show: ({ what, isCheck, done, total }) => {
      const now = performance.now();
      if (now - last < (terminal.isInteractive ? 50 : PROGRESS_INTERVAL_MS)) return;
      last = now;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const text = `${isCheck ? 'checking' : 'copying'} ${what}: ${Math.floor(share * 100)} % (${done} of ${total})`;
      if (!terminal.isInteractive) return say(`  ${text}`);
      const full = Math.round(share * BAR_WIDTH);
      terminal.err(`\r\u001b[K${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${text}`);
      isDrawn = true;
    },
    end: () => {
      if (isDrawn) terminal.err('\r\u001b[K');
      isDrawn = false;
    },
  };
}
