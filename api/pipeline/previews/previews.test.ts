import { expect, test } from 'vitest'
import { manualClock } from '../../../engine/clock/manual-clock.ts'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import type { Caller } from '../../auth/caller.ts'
import type { Pipelines } from '../pipelines.ts'
import { type PreviewPorts, Previews } from './previews.ts'

/** Previews of pipelines, each of the account of the same name, that run until they are cancelled. */
function endlessPreviews() {
  const pipelines = {
    get: (_: Caller, id: string) => ({
      pipeline: { id, value: { account: id, title: id } },
      draft: { value: { nodes: [] } },
    }),
  }
  const never = new Promise<never>(() => {})
  const ports = {
    configuration: { get: () => undefined, all: () => [], list: () => [] },
    clock: manualClock(),
    entropy: { uuid: () => crypto.randomUUID() },
    replay: {
      catalogue: CATALOGUE,
      ingest: { name: INGEST_TOPIC, partitions: 1, log: new Proxy({}, { get: () => () => never }) },
      checkpoints: new Proxy({}, { get: () => () => never }),
    },
  }
  const previews = new Previews(pipelines as unknown as Pipelines, ports as unknown as PreviewPorts)
  const caller = {} as Caller
  return {
    begin: (account: string) => previews.begin(caller, account, { minutes: 5 }),
    statusOf: (account: string, id: string) => previews.get(caller, account, id).status,
  }
}

test('one account has at most ten waiting previews, and never keeps another from running one', () => {
  const { begin } = endlessPreviews()
  const statuses = Array.from({ length: 11 }, () => begin('busy').status)
  expect(statuses).toEqual(['running', ...Array.from({ length: 10 }, () => 'waiting')])
  expect(() => begin('busy')).toThrow('10 previews of the account wait already')
  expect(begin('neighbour').status).toBe('running')
  expect(begin('third').status).toBe('waiting')
})
