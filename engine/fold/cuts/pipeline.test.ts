import { expect, test } from 'vitest'
import type { PipelineCut } from '../../../schemas/log/cuts.ts'
import { catalogueWith } from '../../../test/support/catalogue-with.ts'
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
