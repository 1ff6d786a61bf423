import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { parseJson, textForm } from '../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import {
  BATCH_ID,
  type CounterpartClient,
  counterpartClient,
  type TestEvent,
} from '../support/counterparts/counterpart-client.ts'
import { describeCounterpart } from '../support/counterparts/describe-counterpart.ts'
import { OBJECT_STORES, type OpenObjectStore } from '../support/counterparts/object-stores.ts'

const CLOSED = `1930810532-${BATCH_ID}`
const MESSAGES: readonly JsonValue[] = [
  { a: 1, b: [true, null, { c: 'd' }], '': 'ä€😀"\\\n\u0000\u2028' },
  ...['a text', '', 5, null, 12345678901234567890n, [], {}],
]

describe.each(OBJECT_STORES.map(each => [each.type, each] as const))('%s', (type, store) => {
  describeCounterpart(store.counterpart, url => {
    const clients: CounterpartClient[] = []
    afterEach(() => Promise.all(clients.splice(0).map(client => client.close())))

    async function newBucket(name: string): Promise<{ bucket: string; open: OpenObjectStore }> {
      const open = store.open(url())
      const bucket = `weir-${name}-${Date.now()}`
      await open.create(bucket)
      return { bucket, open }
    }

    function client(open: OpenObjectStore, options: JsonObject): CounterpartClient {
      const made = counterpartClient(type, options, open.redirected)
      clients.push(made)
      return made
    }

    const eventsOf = (messages: readonly JsonValue[], metadata: JsonObject = {}): TestEvent[] =>
      messages.map(message => ({ message, metadata, timeMs: Date.parse('2031-03-09T08:15:30.250Z') }))

    test('a batch is an object with its lines', async () => {
      const { bucket, open } = await newBucket('text')
      const sender = client(open, open.options(bucket))
      expect(await sender.deliver(eventsOf(MESSAGES))).toEqual(MESSAGES.map(() => 'delivered'))
      expect(await open.names(bucket)).toEqual([`${CLOSED}.log`])
      const { contentType, body, tags } = await open.read(bucket, `${CLOSED}.log`)
      expect(contentType).toMatch(/^text\/plain/)
      expect(tags).toEqual(store.tags)
      expect(body.toString()).toBe(MESSAGES.map(message => `${textForm(message)}\n`).join(''))
    })

    test('a compressed object in JSON is what was sent, under a name with every kind of character', async () => {
      const { bucket, open } = await newBucket('json')
      const prefix = "%Y/{{ metadata.app }}/a b+ä€'*()!~&=?#%%/"
      const options = {
        ...open.options(bucket),
        encoding: 'json',
        compression: 'gzip',
        [store.prefixOption]: prefix,
      }
      const events = eventsOf(MESSAGES, { app: 'web' })
      expect(await client(open, options).deliver(events)).toEqual(MESSAGES.map(() => 'delivered'))
      const name = `2031/web/a b+ä€'*()!~&=?#%/${CLOSED}.log.gz`
      expect(await open.names(bucket)).toEqual([name])
      const { contentType, body } = await open.read(bucket, name)
      expect(contentType).toBe('application/gzip')
      expect(parseJson(gunzipSync(body).toString())).toEqual(MESSAGES)
    })

    test('a repeat replaces the object', async () => {
      const { bucket, open } = await newBucket('repeat')
      const sender = client(open, open.options(bucket))
      for (const _ of ['first', 'repeat'])
        expect(await sender.deliver(eventsOf(['a', 'b']))).toEqual(['delivered', 'delivered'])
      expect(await open.names(bucket)).toEqual([`${CLOSED}.log`])
      expect(String((await open.read(bucket, `${CLOSED}.log`)).body)).toBe('a\nb\n')
    })

    test('a full batch arrives', async () => {
      const { bucket, open } = await newBucket('full')
      const lines = Array.from({ length: 9_000 }, (_, row) => `${row} ${'x'.repeat(1_000)}`)
      const { outcomes, verdicts } = await client(open, open.options(bucket)).exchange(eventsOf(lines))
      expect([outcomes.length, new Set(verdicts)]).toEqual([1, new Set(['delivered'])])
      const { body } = await open.read(bucket, `${CLOSED}.log`)
      expect(body.equals(Buffer.from(lines.map(line => `${line}\n`).join('')))).toBe(true)
    })

    test('events to a bucket that is not there fail', async () => {
      const open = store.open(url())
      expect(await client(open, open.options('weir-absent')).deliver(eventsOf(['a']))).toEqual([
        'The server answered 404',
      ])
    })

    test('a check is answered, and leaves no object', async () => {
      const { bucket, open } = await newBucket('check')
      expect(await client(open, open.options(bucket)).check()).toMatchObject({
        kind: 'answered',
        status: 404,
      })
      expect(await open.names(bucket)).toEqual([])
    })

    test('a check says that credentials are refused', async context => {
      const { bucket, open } = await newBucket('refused-check')
      const options = open.refusedOptions?.(bucket)
      if (options === undefined) return context.skip()
      expect(await client(open, options).check()).toMatchObject({ kind: 'refused', status: 403 })
    })

    test('with refused credentials a batch rests', async context => {
      const { bucket, open } = await newBucket('refused')
      const options = open.refusedOptions?.(bucket)
      if (options === undefined) return context.skip()
      const { verdicts } = await client(open, options).exchange(eventsOf(['a', 'b']))
      expect(verdicts).toEqual(['rest', 'rest'])
      expect(await open.names(bucket)).toEqual([])
    })
  })
})
