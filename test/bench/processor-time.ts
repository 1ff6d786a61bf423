/** Processor time of this thread, so that other work on the machine matters less. */
export function secondsOf(work: () => void): number {
  const { user, system } = process.threadCpuUsage()
  work()
  const end = process.threadCpuUsage()
  return (end.user + end.system - user - system) / 1e6
}
