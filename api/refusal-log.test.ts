import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { manualClock } from '../engine/clock/manual-clock.ts'
import { RefusalLog } from './refusal-log.ts'

test('a reason is logged at once, then every ten seconds with how many requests it turned away', () => {
  const clock = manualClock()
  const log = new RefusalLog(clock)
  const said: string[] = []
  const warn = (details: { alsoRefused: number }, sentence: string) =>
    said.push(`${sentence} ${details.alsoRefused}`)
  const request = {
    method: 'POST',
    routeOptions: { url: '/logs/ingest' },
    log: { warn },
  } as unknown as FastifyRequest
  for (let second = 0; second < 12; second++) {
    for (let each = 0; each < 5; each++) log.note(request, 'full')
    clock.advance(1_000)
  }
  log.note(request, 'away')
  expect(said).toEqual(['full 0', 'full 49', 'away 0'])
})
