import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningWeir } from '../support/running-weir.ts'
import type { Fault } from './fault.ts'
import { restarted } from './kill-faults.ts'
import { traceRenames } from './tracing.ts'

/** The other parts that are published are those of merges. */
const PART_OF_INSERT = /\/tmp_insert_[^/"]+\/"/
const LEVEL_OF_INSERT = /\/\d{8}_(\d+)_\1_0$/
const POLL_MS = 2

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
async function killBefore(weir: RunningWeir): Promise<boolean> {
  const tracer = await attached(weir, 'error=EIO:signal=SIGKILL:when=1')
  const traced = await tracer.line(/rename/)
  await tracer.ended()
  await weir.end('SIGKILL')
  return PART_OF_INSERT.test(traced ?? '')
}

/** The call has done its work, but its caller does not learn of it: it dies meanwhile. */
async function killAfter(weir: RunningWeir): Promise<boolean> {
  const known = new Set(partsOfInserts(weir))
  const tracer = await attached(weir, 'delay_exit=60000000')
  while (partsOfInserts(weir).every(part => known.has(part))) await delay(POLL_MS)
  weir.signal('SIGKILL')
  // That the process is gone, its tracer must let the system say.
  await tracer.kill()
  await weir.end('SIGKILL')
  return true
}

async function attached(weir: RunningWeir, injection: string) {
  const tracer = await traceRenames(weir.pid as number, injection)
  if (tracer === undefined) throw new Error('strace could attach to another process, but not to the program')
  return tracer
}

function partsOfInserts({ directory }: RunningWeir): string[] {
  return globSync(join(directory, 'store/store/*/*/*')).filter(path => LEVEL_OF_INSERT.test(path))
}
