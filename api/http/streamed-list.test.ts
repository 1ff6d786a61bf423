import fastify from 'fastify'
import { expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { sendList } from './streamed-list.ts'
import { PIECE_CHARACTERS } from './streamed-rows.ts'

test('a list of forty megabytes, which was printed in one go, is made piece by piece as it is read', async () => {
  const app = fastify()
  let made = 0
  function* records() {
    for (; made < 400; made++) yield { index: made, text: 'x'.repeat(100_000) }
  }
  app.get('/', async (_request, reply) => sendList(reply, systemClock(), records()))
  const answer = await app.inject({ url: '/', payloadAsStream: true })
  const pieces = answer.stream()
  const first = await new Promise<Buffer>(resolve => pieces.once('data', resolve))
  expect(made).toBeLessThan(10)
  let text = first.toString()
  for await (const piece of pieces) {
    expect(piece.length).toBeLessThan(100_000 + PIECE_CHARACTERS)
    text += piece
  }
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect((JSON.parse(text) as { index: number }[]).map(({ index }) => index)).toEqual([...Array(400).keys()])
  await app.close()
})

test.each([[[]], [[1]], [[{ a: 'b' }, { c: 2n ** 70n }]]])('a short list is one text: %o', async records => {
  const app = fastify()
  app.get('/', async (_request, reply) => sendList(reply, systemClock(), records))
  const { body, headers } = await app.inject('/')
  expect(body).toBe(
    records.length === 2 ? '[{"a":"b"},{"c":1180591620717411303424}]' : JSON.stringify(records),
  )
  expect(headers['content-length']).toBe(String(body.length))
  await app.close()
})
