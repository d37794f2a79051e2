/*
 * The first segment of a webhook endpoint belongs to the owner of the workflows that have had it live, until they are deleted.
 * Endpoints that are live keep their segments. One that begins with a parameter is served below the workflow's id only.
 * `ltrim` of everything but slashes leaves what begins with the first slash.
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
