/* `form_values`: what an assignee filled in, as JSON. */
export const sql = `
ALTER TABLE decision_assignees ADD COLUMN form_values TEXT;
`;
