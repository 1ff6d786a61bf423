import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { LoopTurns } from '../../engine/turns/loop-turns.ts'
import { compressAnswers } from './compressed-answers.ts'
import { FixedAnswer } from './fixed-answer.ts'

test('a fixed answer is printed once, and compressed once', async () => {
  const app = fastify()
  compressAnswers(app)
  const sent: unknown[] = []
  app.addHook('onSend', async (_request, _reply, payload) => {
    sent.push(payload)
    return payload
  })
  let printed = 0
  const content = { list: Array.from({ length: 1_000 }, (_, index) => ({ index })) }
  const answer = new FixedAnswer(function* () {
    printed++
    yield
    return content
  }, new LoopTurns(manualClock()))
  app.get('/', async (request, reply) => answer.send(request, reply))
  const get = (coding?: string) =>
    app.inject({ url: '/', headers: coding === undefined ? {} : { 'accept-encoding': coding } })
  const plain = await get()
  expect(plain.json()).toEqual(content)
  const [first, second] = await Promise.all([get('gzip'), get('gzip')])
  expect(JSON.parse(gunzipSync(first.rawPayload).toString())).toEqual(content)
  expect([first.headers['content-encoding'], first.headers.vary]).toEqual(['gzip', 'accept-encoding'])
  expect(second.headers['content-length']).toBe(String(second.rawPayload.length))
  await get()
  expect(printed).toBe(1)
  expect([sent[1] === sent[2], sent[0] === sent[3]]).toEqual([true, true])
  await app.close()
})
