/* `fields`: the encrypted values of a connection of named fields, a JSON object by field; null for OAuth. */
export const sql = `
ALTER TABLE connections ADD COLUMN fields TEXT;
`;
