import { expect, test } from 'vitest'
import { KEYED_TOPIC } from '../../../schemas/log/topics.ts'
import { SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../../test/support/world.ts'

/** Appends the state to the app of each line. */
const SCRIPTED = (suffix = '') => [
  SOURCE,
  node('transform', 'script', 'js-script', ['source'], {
    script: `function f(m) { m.app = m.app + '-' + getPipelineStateVariable('operational_state') + '${suffix}'; return m }`,
  }),
  node('sink', 'store', 'log-analysis', ['script'], { query: { app: '{{.app}}' } }),
]

function stateCut(operational_state: string) {
  return { accountId: SAMPLE_ACCOUNT, state: { operational_state } }
}

test('scripts of every revision read the state behind the cut, and those of other pipelines do not', () => {
  const fold = new LooseFold()
  fold.deploy(SCRIPTED())
  fold.run(['a'])
  fold.apply('state-variables', 'q', stateCut('deploy'))
  fold.run(['b'])
  fold.apply('state-variables', 'p', stateCut('incident'))
  fold.run(['c'])
  fold.deploy(SCRIPTED('!'))
  fold.run(['d'])
  fold.apply('state-variables', 'p', stateCut('normal'))
  fold.run(['e'])
  expect(fold.stored()).toEqual(['a-normal', 'b-normal', 'c-incident', 'd-incident!', 'e-normal!'])
})

test('a state that was set before its pipeline holds for it, also in a restored fold', () => {
  const fold = new LooseFold()
  const cut = fold.apply('state-variables', 'p', stateCut('incident'))
  fold.deploy(SCRIPTED())
  const restored = fold.restored()
  restored.run(['a'])
  expect(restored.stored()).toEqual(['a-incident'])
  expect([...restored.parts.cuts.ofAccount(SAMPLE_ACCOUNT)]).toContainEqual(cut)
})

test('a keyed partition receives the state from others, and never an older one', () => {
  const fold = new LooseFold({ topic: KEYED_TOPIC })
  const older = {
    kind: 'state-variables',
    entity: 'p',
    version: 5,
    payload: JSON.stringify(stateCut('deploy')),
  } as const
  const newer = { ...older, version: 6, payload: JSON.stringify(stateCut('incident')) }
  for (const cut of [newer, older]) fold.do(fold.parts.cuts.applyForwarded(cut))
  fold.deploy(SCRIPTED())
  fold.run(['a'])
  expect(fold.stored()).toEqual(['a-incident'])
})
