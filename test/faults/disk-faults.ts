import { setTimeout as delay } from 'node:timers/promises'
import type { Dice } from '../support/dice.ts'
import type { Fault } from './fault.ts'
import { restarted } from './restart.ts'
import type { Site } from './site.ts'
import type { SmallDisk } from './small-disk.ts'

const MIB = 1024 ** 2
const FULL_MS = 2_500

/** The disk is filled to the last byte, or nearly, and emptied after a while. */
export function diskFault(dice: Dice, disk: SmallDisk, isKilled: boolean): Fault {
  const waitMs = 400 + dice.below(1_000)
  const freeBytes = dice.pick([0, 0, 64 * 1024, MIB, 8 * MIB])
  const fullMs = 1_000 + dice.below(FULL_MS)
  return {
    family: 'disk',
    label: isKilled ? 'full disk, kill -9' : 'full disk',
    waitMs,
    async inject(site) {
      disk.squeeze(freeBytes)
      await delay(fullMs)
      const what = `${Math.round(freeBytes / 1024)} KiB left for ${fullMs} ms`
      if (isKilled) await startOnFullDisk(site, fullMs)
      const injected = { sinceMs: performance.now(), newest: site.shipper.newestAcknowledged }
      disk.release()
      if (isKilled && !site.weir.running) return restarted(site, `${what}, the start on it was refused`)
      return { ...injected, what: isKilled ? `${what}, started on it` : what }
    },
  }
}

/** A start may be refused there, with a sentence, or wait until there is room. */
async function startOnFullDisk({ weir }: Site, patienceMs: number): Promise<void> {
  await weir.end('SIGKILL')
  const before = weir.output.length
  await Promise.race([weir.start().catch(() => undefined), delay(patienceMs)])
  if (weir.running) return
  const printed = weir.output.slice(before)
  if (!/^weir: /m.test(printed))
    throw new Error(`a start on a full disk ended without a sentence:\n${printed}`)
}
