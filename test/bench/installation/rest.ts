import { setTimeout as delay } from 'node:timers/promises'
import { cpuSeconds } from './process-usage.ts'

const LOOK_MS = 250
/** A program at rest takes less of a core: 12 %. */
const QUIET_SECONDS = 0.03
const QUIET_LOOKS = 20
const WITHIN_MS = 300_000

/** Waits until a process takes next to no processor time for five seconds and nothing else is under way. */
export async function untilAtRest(pid: number, isBusy: () => boolean): Promise<void> {
  const untilMs = performance.now() + WITHIN_MS
  let last = cpuSeconds(pid)
  for (let quiet = 0; quiet < QUIET_LOOKS; ) {
    if (performance.now() > untilMs) throw new Error('the program does not come to rest')
    await delay(LOOK_MS)
    const now = cpuSeconds(pid)
    quiet = now - last < QUIET_SECONDS && !isBusy() ? quiet + 1 : 0
    last = now
  }
}
