/** Live Weft processes on this database. `place` is a small number, unique among them. */
export const sql = `
CREATE TABLE processes (
  id TEXT PRIMARY KEY,
  place INTEGER NOT NULL,
  role TEXT NOT NULL,
  version TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  shares INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  alive_until INTEGER NOT NULL
);
`;
