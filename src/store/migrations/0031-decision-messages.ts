/*
 * Messages in Slack about decisions. `due_at`: when the message must be updated; null while the decision is
 * open. It is also the end of a claim. A message that shows the result has no row any more.
 */
export const sql = `
CREATE TABLE decision_messages (
  decision TEXT NOT NULL,
  channel TEXT NOT NULL,
  ts TEXT NOT NULL,
  failures INTEGER NOT NULL,
  due_at INTEGER,
  is_claimed INTEGER NOT NULL,
  PRIMARY KEY (decision, channel, ts)
);
CREATE INDEX decision_messages_due ON decision_messages (due_at) WHERE due_at IS NOT NULL;
`;
