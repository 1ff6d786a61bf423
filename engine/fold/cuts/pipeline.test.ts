import { expect, test } from 'vitest'
import type { PipelineCut } from '../../../schemas/log/cuts.ts'
import { catalogueWith } from '../../../test/support/catalogue-with.ts'
import { SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { quietDestination } from '../../../test/support/quiet-destination.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { pipelineCut } from './pipeline.ts'

const SINCE = 7
const catalogue = catalogueWith({ destinations: [{ ...quietDestination(), since: SINCE }] })

function behaviourOf(paused: boolean, ...types: string[]): number {
  const sinks = types.map(type => node('sink', type, type, [SOURCE.id]))
  const document: PipelineCut = {
    id: 'p',
    accountId: 'a',
    title: 'p',
    revision: 1,
    paused,
    nodes: [SOURCE, ...sinks],
  }
  return pipelineCut.behaviourOf(catalogue, {
    kind: 'pipeline',
    entity: 'p',
    version: 1,
    payload: JSON.stringify(document),
  })
}

test('a program must know the newest of the nodes, destinations included, and pauses', () => {
  expect(behaviourOf(false, 'blackhole')).toBe(1)
  expect(behaviourOf(true, 'blackhole')).toBe(2)
  expect(behaviourOf(false, 'blackhole', 'quiet')).toBe(SINCE)
})

test('lines behind the cut run through its revision, until a cut without a document withdraws it', () => {
  const fold = new LooseFold()
  const nodes = [SOURCE, node('sink', 'hole', 'blackhole', ['source'])]
  const document: PipelineCut = { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 1, nodes }
  const stored = () => {
    fold.run(['web'])
    return fold.stored()
  }
  expect(stored()).toEqual(['web'])
  fold.apply('pipeline', 'p', document)
  expect(stored()).toEqual([])
  fold.apply('pipeline', 'p', { ...document, paused: true })
  expect(stored()).toEqual(['web'])
  fold.apply('pipeline', 'p', { ...document, paused: true, drops: true })
  expect(stored()).toEqual([])
  fold.apply('pipeline', 'p', document)
  fold.apply('pipeline', 'p', undefined)
  expect(stored()).toEqual(['web'])
  expect(fold.parts.accounts.of(SAMPLE_ACCOUNT).has('p')).toBe(false)
})
