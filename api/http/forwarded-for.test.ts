import { expect, test } from 'vitest'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { TEST_SETTINGS, testInstallation } from '../../test/support/test-installation.ts'
import { forwardedAddresses } from './forwarded-for.ts'

test.each([
  ['203.0.113.9', ['203.0.113.9']],
  ['203.0.113.9, 10.0.0.1', ['203.0.113.9', '10.0.0.1']],
  ['2001:db8::1', ['2001:db8::1']],
  ['1.2.3.4:5678', ['1.2.3.4']],
  ['[2001:db8::1]:443, [::1]', ['2001:db8::1', '::1']],
  ['"><script>', []],
  ['unknown', []],
  ['', []],
  [',', []],
  ['1.2.3.4:', []],
  ['1.2.3.4:x', []],
  ['1.2.3', []],
  ['[1.2.3.4', []],
  ['203.0.113.9, unknown, 10.0.0.1', ['10.0.0.1']],
  ['203.0.113.9, unknown', []],
])('of "%s" the address %j is used', (header, addresses) => {
  expect(forwardedAddresses(header)).toEqual(addresses)
})

test.each([
  ['203.0.113.9:5678', '203.0.113.9'],
  ['203.0.113.9, 10.0.0.1:443', '203.0.113.9'],
  ['203.0.113.9, unknown, 10.0.0.1', '10.0.0.1'],
  ['"><script>', '127.0.0.1'],
])('lines whose proxy reports %s are stored as from %s', async (header, sender) => {
  const settings = { ...TEST_SETTINGS, trustedProxies: ['127.0.0.1', '10.0.0.0/8'] }
  const { app, credentials, log } = await testInstallation({ settings })
  const answer = await app.inject({
    method: 'POST',
    url: '/logs/ingest?hostname=h',
    remoteAddress: '127.0.0.1',
    headers: { apikey: credentials.ingestionKey, 'x-forwarded-for': header },
    payload: { lines: [{ line: 'x' }] },
  })
  expect(answer.statusCode).toBe(200)
  const topic = await log.topic(INGEST_TOPIC, 2)
  const records = [...(await topic.read(0, 0n, 2 ** 20)), ...(await topic.read(1, 0n, 2 ** 20))]
  const [batch] = records.map(record => LineBatchView.decode(record.value))
  expect(batch?.requests[0]?.remoteAddress).toBe(sender)
  await app.close()
})
