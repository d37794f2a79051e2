/*
 * The first segment of a webhook endpoint belongs to the owner of the workflows in which it was active, until
 * they are deleted. Active endpoints keep their segments. An endpoint that begins with a parameter is served
 * only below the workflow's id. `ltrim` of everything except slashes leaves the part from the first slash.
 */
export const sql = `
CREATE TABLE webhook_segments (
  workflow_id TEXT NOT NULL,
  segment TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  PRIMARY KEY (workflow_id, segment)
);
CREATE INDEX webhook_segments_segment ON webhook_segments (segment);
INSERT INTO webhook_segments (workflow_id, segment, owner_id)
  SELECT DISTINCT workflow_id,
    substr(endpoint, 1, length(endpoint) - length(ltrim(endpoint, replace(endpoint, '/', '')))),
    owner_id
  FROM webhooks WHERE endpoint NOT LIKE ':%';
UPDATE webhooks SET shape = workflow_id || '/' || shape WHERE endpoint LIKE ':%';
`;
