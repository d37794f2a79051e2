/**
 * The output ports of a pinned output, as JSON; null: the first port. An older process replaces the output
 * and `pinned_at` only, so the ports are valid while `ports_pinned_at` equals `pinned_at`.
 */
export const sql = `
ALTER TABLE pinned_outputs ADD COLUMN ports TEXT;
ALTER TABLE pinned_outputs ADD COLUMN ports_pinned_at INTEGER;
`;
