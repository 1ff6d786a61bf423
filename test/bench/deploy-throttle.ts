import type { RunningWeir } from '../support/running-weir.ts'

/** Publishes: ingest → filter (lets all of the sample through) → throttle by app, limit never reached → own store. */
export async function deployThrottle(weir: RunningWeir): Promise<void> {
  const create = async (path: string, body: unknown) =>
    (await weir.send<{ data: { id: string } }>('POST', path, body)).data.id
  const pipeline = await create('/v3/pipeline', { title: 'bench' })
  const source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const expressions = [
    { field: '.app', str_operator: 'exists', negate: false },
    { field: '.line', str_operator: 'contains', value: 'no such text', negate: true },
  ]
  const filter = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'filter',
    inputs: [source],
    user_config: { action: 'allow', conditional: { logical_operation: 'AND', expressions } },
  })
  const throttle = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    inputs: [filter],
    user_config: { threshold: 100_000_000, window_ms: 1000, key_field: '.app' },
  })
  await create(`/v3/pipeline/${pipeline}/sink`, { type: 'log-analysis', inputs: [throttle], user_config: {} })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
}
