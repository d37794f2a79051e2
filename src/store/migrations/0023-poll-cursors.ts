/* `cursor`: the position of a polling trigger in its source, such as a mailbox; null for other sources. */
export const sql = `
ALTER TABLE polls ADD COLUMN cursor TEXT;
`;
