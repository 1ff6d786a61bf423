/** Processor time of this thread, so that other work on the machine matters less. */
export function secondsOf(work: () => void): number {
  const start = threadMicroseconds()
  work()
  return (threadMicroseconds() - start) / 1e6
}

/**
 * Linux counts the time of a running thread at its clock ticks, which may be 4 ms apart. Asking for the time of the whole process counts
 * it up to now, so that the answer for the thread is exact.
 */
function threadMicroseconds(): number {
  void process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return user + system
}
