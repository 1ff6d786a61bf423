import { expect, test } from 'vitest'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { controlType } from '../../schemas/log/control.ts'
import type { StateVariablesCut } from '../../schemas/log/cuts.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { newDice } from '../support/dice.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { IS_LONG } from '../support/long-form.ts'
import { SpreadRun, type SpreadScript } from '../support/spread-run.ts'
import { node, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? (IS_LONG ? 30 : 4))
const FIRST_SEED = Number(process.env.SEED ?? 1)
const SCRIPT = `function f(message) {
  message.app = getPipelineStateVariable('operational_state')
  return message
}`

/** One script reads the state where a line arrives, another one where the key of the line has its memory. */
function scriptOf(seed: number): SpreadScript {
  const dice = newDice(seed)
  let changes = 0
  return {
    nodes: () => [
      SOURCE,
      node('transform', 'here', 'js-script', ['source'], { script: SCRIPT }),
      node('transform', 'first', 'dedupe', ['source'], { fields: ['.line'] }),
      node('transform', 'there', 'js-script', ['first'], { script: SCRIPT }),
      ...['here', 'there'].map(id =>
        node('sink', `store-${id}`, 'mezmo', [id], { query: { tags: [id], app: '{{.app}}' } }),
      ),
    ],
    async afterAction(run) {
      if (dice.chance(0.8)) return
      const state = { operational_state: `state_${++changes}` }
      run.configure({
        kind: 'state-variables',
        entity: 'pipeline-1',
        version: changes,
        payload: JSON.stringify({ accountId: SAMPLE_ACCOUNT, state }),
      })
    },
  }
}

const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index)

test.each(seeds)(
  'a script reads the state of the last cut before its line, while its account is spread and gathered (SEED=%i)',
  async seed => {
    const run = await SpreadRun.of(seed, scriptOf(seed))
    await run.run()
    const statesOf = (id: string) =>
      new Map(
        run.store
          .rows('lines')
          .filter(({ tags }) => (tags as string[]).includes(id))
          .map(({ line, app }) => [line as string, app as string]),
      )
    const expected = expectedStates(run)
    expect(new Set(expected.values()).size).toBeGreaterThan(5)
    expect(statesOf('here')).toEqual(expected)
    // Each partition applies a change at a place of its own, so the partition of a key may be ahead or behind.
    const there = statesOf('there')
    expect(there.size).toBe(run.lines)
    const known = new Set(run.archive.flatMap(values => [...statesIn(values)]))
    for (const state of there.values()) expect(known).toContain(state)
  },
)

/** The state of each line, by the records of its partition alone. */
function expectedStates({ archive }: SpreadRun): Map<string, string> {
  const states = new Map<string, string>()
  for (const values of archive) {
    const inForce = statesIn(values)
    for (const value of values) {
      const state = inForce.next().value as string
      if (schemaIdOf(value) !== lineBatchType.id) continue
      const batch = LineBatchView.decode(value)
      for (let index = 0; index < batch.count; index++) states.set(batch.lineText(index), state)
    }
  }
  return states
}

/** The state in force at each record of a partition. */
function* statesIn(values: readonly Buffer[]): Generator<string> {
  let version = 0
  let state = 'normal'
  for (const value of values) {
    const body = schemaIdOf(value) === controlType.id ? controlType.decode(value).body : undefined
    const cut = body !== undefined && 'weir.Cut' in body ? body['weir.Cut'] : undefined
    if (cut?.kind === 'state-variables' && cut.version > version) {
      version = cut.version
      state = (JSON.parse(cut.payload) as StateVariablesCut).state.operational_state as string
    }
    yield state
  }
}
