import { expect, test } from 'vitest'
import { pointVerdicts } from './point-verdicts.ts'

const REQUEST = { method: 'POST', url: 'https://a.example/', headers: {}, body: Buffer.alloc(0) }

function verdictsOn(
  message: string,
  total: number | undefined,
  stored: number,
  waiting: readonly number[] = [],
) {
  const type = 'type.googleapis.com/google.monitoring.v3.CreateTimeSeriesSummary'
  const details =
    total === undefined ? [] : [{ '@type': type, totalPointCount: total, successPointCount: stored }]
  const body = JSON.stringify({ error: { code: 400, message, details } })
  const verdict = pointVerdicts({ status: 400, headers: {}, body }, { request: REQUEST, events: 5, waiting })
  return [verdict].flat().map(each => (typeof each === 'string' ? each : 'failed'))
}

const ORDER = 'One or more TimeSeries could not be written: Points must be written in order.'

test.each<[string, number | undefined, number, readonly string[]]>([
  [`${ORDER}: timeSeries[1]`, 5, 4, ['delivered', 'failed', 'delivered', 'delivered', 'delivered']],
  [
    `timeSeries[0-1,4]: write failed with: ${ORDER}`,
    5,
    2,
    ['failed', 'failed', 'delivered', 'delivered', 'failed'],
  ],
  [
    'Field timeSeries[2] had an invalid value: Duplicate.: timeSeries[2]; too long: timeSeries[3]',
    5,
    3,
    ['delivered', 'delivered', 'failed', 'failed', 'delivered'],
  ],
  [`${ORDER}: timeSeries[0-4]`, 5, 0, ['failed', 'failed', 'failed', 'failed', 'failed']],
  // Some of the refused points are not named, or their number is unknown.
  [`${ORDER}: timeSeries[1]`, 5, 2, ['halve']],
  [`${ORDER}: timeSeries[1]`, undefined, 0, ['halve']],
  [`${ORDER}: timeSeries[0-999999999]`, 6, 0, ['halve']],
  [ORDER, 5, 4, ['halve']],
])('after %j with %s points, %i of them stored: %j', (message, total, stored, verdicts) => {
  expect(verdictsOn(message, total, stored)).toEqual(verdicts)
})

test('indexes of an answer do not count events that wait', () => {
  const verdicts = verdictsOn(`${ORDER}: timeSeries[1]`, 3, 2, [1, 3])
  expect(verdicts).toEqual(['delivered', 'again', 'failed', 'again', 'delivered'])
})
