import { expect, test } from 'vitest'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { controlType } from '../../schemas/log/control.ts'
import { type Dice, newDice } from '../support/dice.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { readNativeBlock } from '../support/native-reader.ts'
import { ThrottleModel, type ThrottleRule } from '../support/throttle-model.ts'
import { node, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? 100)
const FIRST_SEED = Number(process.env.SEED ?? 1)
const IDENTITY = { topic: 'weir.ingest', partition: 0, partitions: 1, logId: 'log' }
const START_MS = 1_700_000_000_000

const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)

test.each(seeds)('the throttle passes the same events as a plain model (SEED=%i)', seed => {
  const dice = newDice(seed)
  let rule: ThrottleRule = { limit: 2, windowMs: 1_000, isKeyed: true }
  let revision = 0
  let version = 0
  const exemptions: Buffer[] = []
  const lastMs = new Map<string, number>()
  let wallMs = START_MS
  let number = 0
  const log = new RestoredLog(dice)
  const model = new ThrottleModel(rule)
  const expected: string[] = []
  const deploy = () => {
    model.change(rule)
    model.timePasses(wallMs) // The cut's own time is judged by the new rule.
    log.append(wallMs, pipelineCut(++revision, rule))
  }
  deploy()
  for (let action = 0; action < 150; action++) {
    const roll = dice.below(100)
    if (roll < 25) wallMs += dice.below(dice.chance(0.1) ? 40_000 : 600)
    else if (roll < 35) wallMs -= dice.below(2_000)
    else if (roll < 39) {
      rule = nextRule(dice, rule)
      deploy()
    } else if (roll < 46) {
      const key = dice.pick(['a', 'b', ''])
      const untilMs = dice.chance(0.2) ? 0 : wallMs + dice.pick([1, 300, 2_000, 20_000])
      const forgetMs = Math.max(untilMs, lastMs.get(key) ?? 0)
      lastMs.set(key, forgetMs)
      model.timePasses(wallMs)
      model.exempt(key, untilMs)
      const cut = exemptionCut(key, ++version, { untilMs, forgetMs })
      log.append(wallMs, cut)
      exemptions.push(cut)
    } else if (roll < 48 && exemptions.length > 0) {
      // One that is there twice, or comes late, changes nothing.
      model.timePasses(wallMs)
      log.append(wallMs, dice.pick(exemptions))
    } else {
      model.timePasses(wallMs)
      const lines = Array.from({ length: 1 + dice.below(5) }, () => ({
        line: String(number++),
        app: dice.pick(['a', 'b', '']),
      }))
      expected.push(...lines.filter(({ app }) => model.lets(app)).map(({ line }) => line))
      log.append(wallMs, lineBatchValue([{ lines }]))
    }
  }
  log.append(
    wallMs,
    controlType.encode({ behaviour: 1, body: { 'weir.Tick': { deadlineMs: wallMs + 100_000 } } }),
  )
  expect(log.storedLines).toEqual(expected)
})

/** A log whose fold is restored from a checkpoint now and then. */
class RestoredLog {
  readonly storedLines: string[] = []
  readonly #dice: Dice
  #fold = new PartitionFold(CATALOGUE, IDENTITY)
  #offset = 0n

  constructor(dice: Dice) {
    this.#dice = dice
  }

  append(appendTimeMs: number, value: Buffer): void {
    if (this.#fold.atRest && this.#dice.chance(0.4)) {
      this.#fold = PartitionFold.restored(
        CATALOGUE,
        IDENTITY,
        this.#fold.checkpointAtRest().checkpoint as Buffer,
      )
    }
    const flushes = this.#fold.apply({ offset: this.#offset++, appendTimeMs, value, producer: null })
    for (const { table, block } of flushes.flatMap(({ tables }) => tables)) {
      if (table === 'lines')
        this.storedLines.push(...readNativeBlock(block).rows.map(row => row.line as string))
    }
  }
}

function nextRule(dice: Dice, { isKeyed }: ThrottleRule): ThrottleRule {
  return {
    limit: 1 + dice.below(4),
    windowMs: dice.pick([200, 1_000, 30_000]),
    isKeyed: dice.chance(0.15) ? !isKeyed : isKeyed,
  }
}

function exemptionCut(
  key: string,
  version: number,
  times: { readonly untilMs: number; readonly forgetMs: number },
): Buffer {
  const place = { accountId: SAMPLE_ACCOUNT, pipeline: 'p', node: 'limit', key: key === '' ? null : key }
  const payload = JSON.stringify({ ...place, ...times })
  const cut = { kind: 'exemption' as const, entity: `p/limit/${key}`, version, payload }
  return controlType.encode({ behaviour: 2, body: { 'weir.Cut': cut } })
}

function pipelineCut(revision: number, { limit, windowMs, isKeyed }: ThrottleRule): Buffer {
  const config = { threshold: limit, window_ms: windowMs, ...(isKeyed && { key_field: '.app' }) }
  const nodes = [
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], config),
    node('sink', 'store', 'mezmo', ['limit']),
  ]
  const payload = JSON.stringify({ id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision, nodes })
  return controlType.encode({
    behaviour: 1,
    body: { 'weir.Cut': { kind: 'pipeline', entity: 'p', version: revision, payload } },
  })
}
