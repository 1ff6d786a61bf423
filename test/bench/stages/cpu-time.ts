/** Processor time of a task. */
export interface CpuTime {
  /** Time of the thread that ran it. */
  readonly threadNs: number
  /** Time of all threads of this process, including helpers of V8 and threads of libuv and of the engine. */
  readonly processNs: number
}

export async function cpuTimeOf(task: () => unknown): Promise<CpuTime> {
  const thread = process.threadCpuUsage()
  const whole = process.cpuUsage()
  await task()
  return {
    threadNs: nsOf(process.threadCpuUsage(thread)),
    processNs: nsOf(process.cpuUsage(whole)),
  }
}

function nsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) * 1_000
}
