export const columns = `day, workflow_id, owner_id, model, calls, unpriced, input_tokens, cached_input_tokens, output_tokens,
  reasoning_tokens, cost`;
const amounts = [
  'calls',
  'unpriced',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost',
];
export const sums = amounts.map((name) => `${name} = model_usage.${name} + excluded.${name}`).join(', ');

export const add = `INSERT INTO model_usage (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (day, workflow_id, model) DO UPDATE SET ${sums}`;

/** Params: day, workflow. */
export const ofDay = `SELECT sum(input_tokens + output_tokens) AS tokens, sum(cost) AS cost
  FROM model_usage WHERE day = ? AND workflow_id = ?`;
export const budget = `SELECT settings FROM workflows WHERE id = ?`;

const groupColumns = { day: 'u.day', workflow: 'u.workflow_id', user: 'u.owner_id', model: 'u.model' };

/** Params: from, to, then those of `filters` in their order, then the limit. */
export function select(
  groups: readonly (keyof typeof groupColumns)[],
  filters: readonly (keyof typeof groupColumns)[],
): string {
  const names = Object.entries(groupColumns).map(([name, column]) =>
    groups.some((group) => group === name)
      ? `${column} AS by_${name}`
      : `${name === 'day' ? 'CAST(NULL AS BIGINT)' : 'CAST(NULL AS TEXT)'} AS by_${name}`,
  );
  const where = filters.map((filter) => ` AND ${groupColumns[filter]} = ?`).join('');
  const by = groups.map((group) => groupColumns[group]);
  return `SELECT ${names.join(', ')}, ${amounts.map((name) => `sum(u.${name}) AS ${name}`).join(', ')}
    FROM model_usage u WHERE u.day >= ? AND u.day < ?${where}${by.length === 0 ? '' : ` GROUP BY ${by.join(', ')}`}
    ORDER BY ${[groups.includes('day') ? 'u.day DESC' : '', 'sum(u.cost) DESC', ...by].filter(Boolean).join(', ')} LIMIT ?`;
}

export const prices = `SELECT model, price FROM model_prices ORDER BY model`;
export const removePrices = `DELETE FROM model_prices`;
export const insertPrice = `INSERT INTO model_prices (model, price) VALUES (?, ?)`;

export const oldestDay = `SELECT min(day) AS day FROM model_usage`;
export const removeDay = `DELETE FROM model_usage WHERE day = ?`;
export const removeOfOwner = `DELETE FROM model_usage WHERE owner_id = ?`;
