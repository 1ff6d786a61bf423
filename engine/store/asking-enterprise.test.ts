import { expect, test } from 'vitest'
import { RecordingConnection } from '../../test/support/recording-connection.ts'
import { openClickHouseStore } from './clickhouse-store.ts'

test('the store asks for an account and its present enterprise', async () => {
  const connection = new RecordingConnection([], 'lines')
  let enterprise = 'e'
  const store = openClickHouseStore(connection, undefined, () => enterprise)
  await store.open('log')
  const period = { account: 'a', fromMs: 0, toMs: 1 }
  await store.usageTotals(period)
  enterprise = 'f'
  await store.usageByKind({ ...period, kind: 'apps' })
  expect([...connection.askers]).toEqual(['e/a', 'f/a'])
})
