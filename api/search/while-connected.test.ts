import fastify from 'fastify'
import { expect, test } from 'vitest'
import { whileConnected } from './while-connected.ts'

test('work whose client leaves ends, and what it then throws is no error of the server', async () => {
  const [begun, ended, left] = [0, 0, 0].map(() => Promise.withResolvers<void>())
  const errors: unknown[] = []
  const app = fastify()
  app.addHook('onError', async (_request, _reply, error) => void errors.push(error))
  app.get('/', (_request, reply) =>
    whileConnected(reply, async signal => {
      begun?.resolve()
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }).finally(() => ended?.resolve()),
  )
  app.get('/failing', (_request, reply) =>
    whileConnected(reply, async () => {
      throw new Error('away')
    }),
  )
  const address = await app.listen({ port: 0 })
  const client = new AbortController()
  fetch(address, { signal: client.signal }).catch(() => left?.resolve())
  await begun?.promise
  client.abort()
  await Promise.all([ended?.promise, left?.promise])
  expect(errors).toEqual([])
  expect((await fetch(`${address}/failing`)).status).toBe(500)
  expect(errors).toMatchObject([{ message: 'away' }])
  await app.close()
})
