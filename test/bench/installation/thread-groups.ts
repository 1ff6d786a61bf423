import type { MeasuredIngestion } from './ingestion.ts'

/** Threads by the work that they do, as their names begin. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  'main thread': /^main$/,
  'V8 helpers: collector and compilers': /^V8Worker/,
  'libuv: writes and flushes of the log': /^libuv/,
  'engine: merges': /^(MergeMutate|BgSchPool|Merge)/,
  'engine: inserts and searches': /^(ThreadPool|Query|Local|Unknown|Pool|TCP|HTTP)/,
}
const REST = 'all other threads, and those that ended'

/** CPU-seconds of each group; together they are those of the program. */
export function threadGroups({ threadSeconds, cpuSeconds }: MeasuredIngestion): Record<string, number> {
  const seconds: Record<string, number> = {}
  for (const [group, names] of Object.entries(GROUPS)) {
    const own = [...threadSeconds].filter(([name]) => names.test(name))
    seconds[group] = own.reduce((sum, [, each]) => sum + each, 0)
  }
  const known = Object.values(seconds).reduce((sum, each) => sum + each, 0)
  seconds[REST] = Math.max(0, cpuSeconds - known)
  return seconds
}
