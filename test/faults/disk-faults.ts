import { setTimeout as delay } from 'node:timers/promises'
import type { Dice } from '../support/dice.ts'
import type { Fault } from './fault.ts'
import { restarted } from './restart.ts'
import type { Site } from './site.ts'
import type { SmallDisk } from './small-disk.ts'

const MIB = 1024 ** 2
const FULL_MS = 2_500
/** The program looks for failed writes every second. */
const NOTICED_WITHIN_MS = 2_500

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
      const start = isKilled ? await startOnFullDisk(site, fullMs) : undefined
      const injected = { sinceMs: performance.now(), newest: site.shipper.newestAcknowledged }
      disk.release()
      // It may be refused because of the state that it met, even when there is room again.
      if (await start?.isRefused()) return restarted(site, `${what}, the start on it was refused`)
      if (await isEndedByMerge(site)) return restarted(site, `${what}, the result of a merge was damaged`)
      return { ...injected, what: start === undefined ? what : `${what}, started on it` }
    },
  }
}

/** A merge whose result could not be written ends the program soon, because only a start uses the merged parts again. */
async function isEndedByMerge({ weir }: Site): Promise<boolean> {
  await delay(NOTICED_WITHIN_MS)
  return !weir.running && weir.output.includes('is the damaged result of a merge')
}

interface StartUnderWay {
  /** Waits for its outcome. @throws Error when it ended without a sentence */
  isRefused(): Promise<boolean>
}

/** A start may be refused there, with a sentence, or wait until there is room. */
async function startOnFullDisk({ weir }: Site, patienceMs: number): Promise<StartUnderWay> {
  await weir.end('SIGKILL')
  const before = weir.output.length
  const outcome = weir.start().catch(() => undefined)
  await Promise.race([outcome, delay(patienceMs)])
  return {
    isRefused: async () => {
      await outcome
      if (weir.running) return false
      const printed = weir.output.slice(before)
      if (!/^weir: /m.test(printed))
        throw new Error(`a start on a full disk ended without a sentence:\n${printed}`)
      return true
    },
  }
}
