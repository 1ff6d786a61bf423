import { afterEach, expect, test } from 'vitest'
import { parseJson, textForm } from '../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import {
  type CounterpartClient,
  counterpartClient,
  type TestEvent,
} from '../support/counterparts/counterpart-client.ts'
import { describeCounterpart } from '../support/counterparts/describe-counterpart.ts'
import { pubsubServer } from '../support/counterparts/pubsub-server.ts'
import { serviceAccountKey } from '../support/receivers/google-account.ts'

const SERVICE = 'https://pubsub.googleapis.com'
const MESSAGES: readonly JsonValue[] = [
  { a: 1, b: [true, null, { c: 'd' }], '': 'ä€😀"\\\n\u0000\u2028' },
  ...['a text', '', 'two\nlines\r\n', 5, null, 12345678901234567890n, [], {}],
]

describeCounterpart(pubsubServer, url => {
  const credentials = serviceAccountKey()
  const clients: CounterpartClient[] = []
  afterEach(() => Promise.all(clients.splice(0).map(client => client.close())))

  function client(topic: string, options: JsonObject = {}): CounterpartClient {
    const config = { project_id: 'weir', topic, credentials_json: credentials, ...options }
    const made = counterpartClient('gcp-cloud-pubsub', config, request => {
      if (!request.url.startsWith(`${SERVICE}/`)) throw new Error(`${request.url} is not Pub/Sub`)
      return { ...request, url: `${url()}${request.url.slice(SERVICE.length)}` }
    })
    clients.push(made)
    return made
  }

  async function ask(method: string, path: string, body: JsonObject = {}): Promise<JsonObject> {
    const reply = await fetch(`${url()}/v1/projects/weir/${path}`, {
      ...{ method, headers: { authorization: 'Bearer test' }, body: JSON.stringify(body) },
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return parseJson(text) as JsonObject
  }

  /** A new topic, and a function that takes the messages which it has received: id and text of each. */
  async function newTopic(name: string) {
    const topic = `${name}-${Date.now()}`
    await ask('PUT', `topics/${topic}`)
    await ask('PUT', `subscriptions/${topic}`, { topic: `projects/weir/topics/${topic}` })
    const received = async () => {
      const { receivedMessages = [] } = await ask('POST', `subscriptions/${topic}:pull`, {
        maxMessages: 1_000,
      })
      return (receivedMessages as unknown as readonly { message: ReceivedMessage }[]).map(({ message }) => [
        message.attributes['weir-id'],
        Buffer.from(message.data ?? '', 'base64').toString(),
      ])
    }
    return { topic, received }
  }

  const eventsOf = (messages: readonly JsonValue[]): TestEvent[] =>
    messages.map(message => ({ message, timeMs: Date.parse('2031-03-09T08:15:30.250Z') }))

  test('messages arrive with the ids of their events', async () => {
    const { topic, received } = await newTopic('texts')
    expect(await client(topic).deliver(eventsOf(MESSAGES), 7)).toEqual(MESSAGES.map(() => 'delivered'))
    const sorted = (await received()).toSorted(([one], [other]) => Number(one) - Number(other))
    expect(sorted).toEqual(MESSAGES.map((message, row) => [String(7 + row), textForm(message)]))
  })

  test('a repeat is there twice, with the id of the event', async () => {
    const { topic, received } = await newTopic('repeat')
    const pubsub = client(topic, { encoding: 'json' })
    for (const _ of ['first', 'repeat'])
      expect(await pubsub.deliver(eventsOf(['a']), 3)).toEqual(['delivered'])
    expect(await received()).toEqual(Array(2).fill(['3', '"a"']))
  })

  test('a full batch arrives', async () => {
    const { topic, received } = await newTopic('full')
    const messages = Array.from({ length: 1_000 }, (_, row) => `${row} ${'x'.repeat(600)}`)
    const { outcomes, verdicts } = await client(topic).exchange(eventsOf(messages))
    expect([outcomes.length, new Set(verdicts)]).toEqual([1, new Set(['delivered'])])
    expect(await received()).toHaveLength(1_000)
  })

  test('a check is answered, and publishes nothing', async () => {
    const { topic, received } = await newTopic('check')
    expect(await client(topic).check()).toMatchObject({ kind: 'answered', status: 400 })
    expect(await client(topic).deliver(eventsOf(['a']), 1)).toEqual(['delivered'])
    expect(await received()).toEqual([['1', 'a']])
  })

  test('events to a topic that is not there fail', async () => {
    expect(await client('absent').deliver(eventsOf(['a', 'b']))).toEqual(
      Array(2).fill('The server answered 404'),
    )
  })
})

interface ReceivedMessage {
  readonly attributes: Readonly<Record<string, string>>
  /** Base64; absent: empty. */
  readonly data?: string
}
