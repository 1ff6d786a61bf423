import { expect, test } from 'vitest'
import { topicIdExchange } from './topic-id.ts'

const ID = '00010203-0405-0607-0809-0a0b0c0d0e0f'

/** An answer with one broker. Lengths are one more than the bytes of a text. */
function answer(topic: string, errorCode: number): Buffer {
  return Buffer.concat([
    Buffer.from([0, 0, 0, 0, 0]), // tags of the header, throttle time
    Buffer.from([2, 0, 0, 0, 1, 5, ...Buffer.from('host'), 0, 0, 35, 132, 0, 0]),
    Buffer.from([8, ...Buffer.from('cluster'), 0, 0, 0, 1]),
    Buffer.from([2, 0, errorCode, topic.length + 1, ...Buffer.from(topic)]),
    Buffer.from(ID.replaceAll('-', ''), 'hex'),
    Buffer.from([0, 1, 0]),
  ])
}

test('the id follows brokers, cluster and the name of the topic', async () => {
  const { decode } = topicIdExchange('weir.ingest').response
  expect(await decode(answer('weir.ingest', 0))).toBe(ID)
  await expect(decode(answer('weir.ingest', 3))).rejects.toMatchObject({
    code: 'LOG_UNAVAILABLE',
    retriable: true,
  })
})

test('a name of 126 characters has one byte for its length, a longer one has two', async () => {
  const sent = async (topic: string) => {
    const { buffer } = (await topicIdExchange(topic).request.encode()) as { readonly buffer: Buffer }
    return [...buffer.subarray(18, buffer.indexOf(topic))]
  }
  expect(await sent('x'.repeat(126))).toEqual([127])
  expect(await sent('x'.repeat(127))).toEqual([0x80, 1])
  expect(await sent('x'.repeat(249))).toEqual([0xfa, 1])
})
