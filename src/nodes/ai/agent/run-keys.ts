/** The key of a run of an agent's body: `2`, `2.0` or `2.0.approval`; see `AgentControl`. */
function readKey(key: string): { turn: number; position: string | undefined; isApproval: boolean } {
  const [turn, position, approval] = key.split('.');
  return { turn: Number(turn), position, isApproval: approval !== undefined };
}

/**
 * Whether a run of an agent's body depends on another one: on the turns and tool calls of earlier turns, on
 * the model of its turn, and on its approval. The tool calls of one turn do not depend on each other.
 */
export function dependsOnRun(key: string, on: string): boolean {
  const run = readKey(key);
  const other = readKey(on);
  if (run.turn !== other.turn) return run.turn > other.turn;
  if (other.position === undefined) return run.position !== undefined;
  return run.position === other.position && other.isApproval && !run.isApproval;
}
