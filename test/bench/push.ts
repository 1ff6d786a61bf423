import type { RunningWeir } from '../support/running-weir.ts'
import type { Report } from './figure.ts'
import { type Entrance, measureWholeWay } from './whole-way.ts'

const FORMS = [
  ['JSON array', 'array', 'json'],
  ['NDJSON', 'ndjson', 'ndjson'],
  ['JSON array, gzip', 'array-gzip', 'json'],
] as const

export const summary =
  'the whole way of pushed events on the real program: bodies to a gateway route, decoded, durable, through a filter that lets all of them pass, stored, and counted by its own usage. MB/s are of bodies as they are sent. The floor is a bare node:http server that collects the same bodies, decompresses nothing and keeps nothing.'

export async function run(report: Report): Promise<void> {
  for (const [title, form, decoding] of FORMS)
    await measureWholeWay({ title, form, noun: 'events', open: weir => deployDoor(weir, decoding) }, report)
}

/** Publishes: gateway route → filter (lets all of the sample through) → own store. */
async function deployDoor(weir: RunningWeir, decoding: string): Promise<Entrance> {
  const create = async (path: string, body: unknown) =>
    (await weir.send<{ data: { id: string; key: string } }>('POST', path, body)).data
  const { id: pipeline } = await create('/v3/pipeline', { title: 'bench' })
  const { id: source } = await create(`/v3/pipeline/${pipeline}/source`, {
    type: 'http',
    user_config: { decoding },
  })
  const { id: filter } = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'filter',
    inputs: [source],
    user_config: {
      action: 'drop',
      conditional: { expressions: [{ field: '.app', str_operator: 'equal', value: 'no such app' }] },
    },
  })
  await create(`/v3/pipeline/${pipeline}/sink`, {
    type: 'log-analysis',
    inputs: [filter],
    user_config: { message: { scheme: 'Message pass-through' }, query: { hostname: 'bench-1' } },
  })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  // A source that names no route brings one with its own id.
  const { key } = await create(`/v3/pipeline/gateway-route/${source}/access-key`, {
    title: 'bench',
    type: 'generated',
  })
  return { url: `${weir.credentials.ingestUrl}/v1/${source}`, key }
}
