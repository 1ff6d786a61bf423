import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Child } from '../support/child.ts'
import type { RunningWeir } from '../support/running-weir.ts'
import type { Fault } from './fault.ts'
import { restarted } from './restart.ts'
import { traceRenames } from './tracing.ts'

/** The other parts that are published are those of merges. */
const PART_OF_INSERT = /\/tmp_insert_[^/"]+\/"/
const LEVEL_OF_INSERT = /\/\d{8}_(\d+)_\1_0$/
const POLL_MS = 2
/** While lines arrive, a part is published every second. */
const PUBLISHED_WITHIN_MS = 30_000
const NOTHING_PUBLISHED = `no part was published within ${PUBLISHED_WITHIN_MS / 1000} s`

/** kill -9 at the rename that publishes a part of an insert, before or after it has taken effect. */
export function renameFault(waitMs: number, when: 'before' | 'after'): Fault {
  return {
    family: 'rename',
    label: `kill -9 just ${when} a part is published`,
    waitMs,
    async inject(site) {
      let kills = 0
      do {
        if (kills++ > 0) await site.weir.start()
      } while (!(await (when === 'before' ? killBefore(site.weir) : killAfter(site.weir))))
      return restarted(site, kills === 1 ? 'hit' : `hit after ${kills - 1} merges`)
    },
  }
}

/** The call fails and its process dies. @returns false when it was the part of a merge */
function killBefore(weir: RunningWeir): Promise<boolean> {
  return traced(weir, 'error=EIO:signal=SIGKILL:when=1', async tracer => {
    const late = delay(PUBLISHED_WITHIN_MS, undefined, { ref: false })
    const call = await Promise.race([tracer.line(/rename/), late])
    if (call === undefined) throw new Error(NOTHING_PUBLISHED)
    return PART_OF_INSERT.test(call ?? '')
  })
}

/** The call is complete, but its caller never learns of it, because it is killed first. */
function killAfter(weir: RunningWeir): Promise<boolean> {
  const known = new Set(partsOfInserts(weir))
  return traced(weir, 'delay_exit=60000000', async () => {
    const untilMs = performance.now() + PUBLISHED_WITHIN_MS
    while (partsOfInserts(weir).every(part => known.has(part))) {
      if (performance.now() > untilMs) throw new Error(NOTHING_PUBLISHED)
      await delay(POLL_MS)
    }
    return true
  })
}

/** Kills the program once the task is done, if it lives until then. */
async function traced<T>(
  weir: RunningWeir,
  injection: string,
  task: (tracer: Child) => Promise<T>,
): Promise<T> {
  const tracer = await traceRenames(weir.pid as number, injection)
  if (tracer === undefined) throw new Error('strace could attach to another process, but not to the program')
  try {
    return await task(tracer)
  } finally {
    weir.signal('SIGKILL')
    // The system reports the end of the process only when the tracer allows it.
    await tracer.kill()
    await weir.end('SIGKILL')
  }
}

function partsOfInserts({ directory }: RunningWeir): string[] {
  return globSync(join(directory, 'store/store/*/*/*')).filter(path => LEVEL_OF_INSERT.test(path))
}
