/*
 * The scope secrets:use used to be part of workflows:write. API keys, clients of a user and access tokens
 * keep it; a user's consent for an app is encrypted, so such an app must ask for consent again.
 */
export const sql = `
UPDATE api_keys SET scopes = replace(scopes, '"workflows:write"', '"workflows:write","secrets:use"')
  WHERE scopes LIKE '%"workflows:write"%' AND scopes NOT LIKE '%"secrets:use"%';
UPDATE oauth_clients SET metadata = replace(metadata, 'workflows:write', 'workflows:write secrets:use')
  WHERE owner_id IS NOT NULL AND metadata LIKE '%workflows:write%' AND metadata NOT LIKE '%secrets:use%';
UPDATE oauth_records SET scope = scope || ' secrets:use'
  WHERE model IN ('AccessToken', 'ClientCredentials') AND scope LIKE '%workflows:write%'
    AND scope NOT LIKE '%secrets:use%';
`;
