/* Counters that must survive a restart: requests of users per window, and failed logins. */
export const sql = `
CREATE TABLE rate_windows (
  user_id TEXT PRIMARY KEY,
  ends_at INTEGER NOT NULL,
  used INTEGER NOT NULL
);
CREATE INDEX rate_windows_end ON rate_windows (ends_at, user_id);

CREATE TABLE login_failures (
  email_hash TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  last_at INTEGER NOT NULL
);
CREATE INDEX login_failures_last ON login_failures (last_at);
`;
