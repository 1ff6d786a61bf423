import { expect, test } from 'vitest'
import { manualClock } from '../../../engine/clock/manual-clock.ts'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import { askerOfKey } from '../../../engine/turns/asker.ts'
import { LoopTurns } from '../../../engine/turns/loop-turns.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import type { Caller } from '../../auth/caller.ts'
import { notFound } from '../../http/errors.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import type { PipelineGraphs } from '../graph/pipeline-graphs.ts'
import type { Pipelines } from '../pipelines.ts'
import { type PreviewPorts, Previews } from './previews.ts'

/** Previews of pipelines, each of the account of the same name, that run until they are cancelled. A name may begin with an enterprise. */
function endlessPreviews() {
  const pipelines = {
    get: ({ account }: Caller, id: string) => {
      if (account?.shortId !== askerOfKey(id).account) throw notFound('The pipeline does not exist')
      return { pipeline: { id, value: { account: id, title: id } }, draft: { value: { nodes: [] } } }
    },
  }
  /** A topic whose every request is without an answer. */
  const unanswering = (members: Readonly<Record<string, unknown>>) =>
    new Proxy(members, { get: (_, name) => members[String(name)] ?? (() => new Promise<never>(() => {})) })
  const clock = manualClock()
  const ports = {
    configuration: { get: () => undefined, all: () => [], list: () => [] },
    clock,
    replayTurns: new LoopTurns(clock),
    entropy: { uuid: () => crypto.randomUUID() },
    replay: {
      catalogue: CATALOGUE,
      ingest: unanswering({ name: INGEST_TOPIC, partitions: 1 }),
      checkpoints: unanswering({}),
    },
  }
  const previews = new Previews(
    pipelines as unknown as Pipelines,
    { files: {} as PipelineFiles, graphs: {} as PipelineGraphs },
    ports as unknown as PreviewPorts,
  )
  const callerOf = (name: string) => {
    const { account, enterprise } = askerOfKey(name)
    return { account: { shortId: account }, enterpriseId: enterprise } as Caller
  }
  return {
    begin: (name: string) => previews.begin(callerOf(name), name, { minutes: 5 }),
    cancel: (name: string, id: string, caller = name) => previews.cancel(callerOf(caller), name, id),
    list: (name: string, caller = name) => previews.list(callerOf(caller), name).map(({ id }) => id),
    statusOf: (name: string, id: string, caller = name) => previews.get(callerOf(caller), name, id).status,
  }
}

test('one account has at most ten waiting previews, and never keeps another from running one', async () => {
  const { begin } = endlessPreviews()
  // All begin at once, before the first can end.
  const accounts = [...Array<string>(12).fill('busy'), 'neighbour', 'third']
  const begun = await Promise.allSettled(accounts.map(begin))
  expect(begun.map(each => (each.status === 'fulfilled' ? each.value.status : each.reason.message))).toEqual([
    'running',
    ...Array<string>(10).fill('waiting'),
    expect.stringContaining('10 previews of the account wait already'),
    'running',
    'waiting',
  ])
})

test('an enterprise with many accounts does not keep another account from the next turn', async () => {
  const { begin, cancel, statusOf } = endlessPreviews()
  const names = ['e/1', 'e/2', 'e/3', 'e/4', 'lone']
  const begun = await Promise.all(names.map(begin))
  const statuses = () => begun.map(({ id }, index) => statusOf(names[index] as string, id))
  expect(statuses()).toEqual(['running', 'running', 'waiting', 'waiting', 'waiting'])
  cancel('e/1', begun[0]?.id as string)
  await begin('e/5')
  expect(statuses()).toEqual(['cancelled', 'running', 'waiting', 'waiting', 'running'])
})

test('a preview is shown, and cancelled, under its own pipeline and for its account alone', async () => {
  const { begin, cancel, list, statusOf } = endlessPreviews()
  const [own, other] = await Promise.all(['own', 'other'].map(begin))
  if (own === undefined || other === undefined) throw new Error('there are two previews')
  const absent = 'The preview does not exist, or not in this process'
  expect(() => statusOf('other', own.id)).toThrow(absent)
  expect(() => cancel('other', own.id)).toThrow(absent)
  const hidden = 'The pipeline does not exist'
  expect(() => statusOf('own', own.id, 'other')).toThrow(hidden)
  expect(() => cancel('own', own.id, 'other')).toThrow(hidden)
  expect(() => list('own', 'other')).toThrow(hidden)
  expect([list('own'), list('other')]).toEqual([[own.id], [other.id]])
  expect([statusOf('own', own.id), cancel('own', own.id).status]).toEqual(['running', 'cancelled'])
})
