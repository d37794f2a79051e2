/* `cursor`: the position up to which a polling trigger has processed its source, such as a mailbox; null for other sources. */
export const sql = `
ALTER TABLE polls ADD COLUMN cursor TEXT;
`;
