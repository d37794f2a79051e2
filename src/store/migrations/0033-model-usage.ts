/**
 * Calls of language models by day in UTC, workflow and model. `cost` in nanodollars; `unpriced`: the calls
 * that had no price. `model_prices`: `price` is JSON, in US dollars for a million tokens.
 */
export const sql = `
CREATE TABLE model_usage (
  day INTEGER NOT NULL,
  workflow_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (day, workflow_id, model)
);
CREATE TABLE model_prices (
  model TEXT PRIMARY KEY NOT NULL,
  price TEXT NOT NULL
);
`;
