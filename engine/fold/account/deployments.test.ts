import { beforeEach, expect, test } from 'vitest'
import { looseRevision } from '../../../test/support/loose-revision.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { HOUR_MS } from '../../times/duration.ts'
import { Deployments } from './deployments.ts'

const NODES = [SOURCE, node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 1_000 })]

let deployments: Deployments
beforeEach(() => {
  deployments = new Deployments()
})

const versions = () => [...deployments.revisions()].map(([pipeline, { version }]) => `${pipeline} ${version}`)

test('pipelines are in the order of their ids, not of their publication', () => {
  deployments.put('b', looseRevision(1, NODES, { pipeline: 'b' }))
  deployments.put('a', looseRevision(1, NODES, { pipeline: 'a' }))
  deployments.put('b', looseRevision(2, NODES, { pipeline: 'b' }))
  expect(versions()).toEqual(['a 1', 'b 2'])
})

test('a revision retires once no partition sends events of it, and an hour has passed', () => {
  deployments.put('p', looseRevision(1, NODES))
  deployments.retire('p', 0)
  deployments.put('p', looseRevision(2, NODES))
  expect(versions()).toEqual(['p 2', 'p 1'])
  expect([...deployments.kept()]).toMatchObject([{ version: 1, replacedMs: 0 }])
  const forgotten = (timeMs: number, least: number) =>
    [...deployments.forget(timeMs, () => least)].map(({ revision }) => revision.version)
  expect(forgotten(HOUR_MS - 1, 2)).toEqual([])
  expect(forgotten(HOUR_MS, 1)).toEqual([])
  expect(forgotten(HOUR_MS, 2)).toEqual([1])
  expect(deployments.knows('p', 1)).toBe(false)
})
