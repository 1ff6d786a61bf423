import { expect, test } from 'vitest'
import { isIncident, linesOfSecond, PERIOD_MS } from './demo-lines.ts'

const PERIOD_S = PERIOD_MS / 1_000
const START_S = 1_900_000_800
const period = Array.from({ length: PERIOD_S }, (_, at) => START_S + at)
const isError = ({ level }: { level: string }) => level === 'error'

test('a second always gives the same lines, in order of time, and another one other lines', () => {
  const lines = linesOfSecond(START_S, 20)
  expect(linesOfSecond(START_S, 20)).toEqual(lines)
  expect(linesOfSecond(START_S + 1, 20)).not.toEqual(lines)
  expect(lines).toHaveLength(20)
  const times = lines.map(({ timestamp }) => timestamp)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times.every(time => time >= START_S * 1_000 && time < (START_S + 1) * 1_000)).toBe(true)
})

test('each period has an incident: errors rise, the database is slow, and one service is noisy', () => {
  const [slow, well] = [true, false].map(wanted =>
    period
      .filter(second => isIncident(second * 1_000) === wanted)
      .flatMap(second => linesOfSecond(second, 10)),
  )
  expect(slow!.filter(isError).length).toBeGreaterThan(500)
  expect(well!.filter(isError).length).toBe(0)
  const of = (app: string) => slow!.filter(line => line.app === app)
  expect(of('orders-db').every(({ line }) => line.startsWith('slow query'))).toBe(true)
  const most = ['gateway', 'checkout', 'payments', 'orders-db', 'mailer'].map(app => of(app).length)
  expect(of('recommender').length).toBeGreaterThan(3 * Math.max(...most))
  expect(well!.some(({ app }) => app === 'recommender')).toBe(false)
})

test('the first error of an incident is explained by the database right before it', () => {
  const first = period.find(second => isIncident(second * 1_000)) as number
  const lines = [first - 1, first, first + 1, first + 2].flatMap(second => linesOfSecond(second, 20))
  const error = lines.findIndex(isError)
  expect(lines.slice(0, error + 60).some(({ app, level }) => app === 'orders-db' && level === 'warn')).toBe(
    true,
  )
})
