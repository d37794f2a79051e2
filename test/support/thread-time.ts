/**
 * The processor's time that this thread has used, ms. For tests that bound a computation: on a busy machine a clock also counts what
 * others took.
 */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
