/**
 * CPU time of this thread in ms. For tests that limit the time of a computation: on a busy machine, a clock
 * also counts the time of other processes.
 */
export function readThreadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
