import { expect, test } from 'vitest'
import type { Explanation, ExplanationPiece, SoughtLines } from '../api/explanations.ts'
import { soughtPieces } from './sought-pieces.ts'

const START = Date.parse('2026-11-27T12:00:00.000Z')
const PERIOD_MS = 3_600_000

/** A log with one line at each of these times, and the number of requests that it answered. */
function logOf(times: readonly number[], isStored: (at: number) => boolean) {
  let requests = 0
  const lines = times.map(
    (ms, at) =>
      ({
        line: {
          place: String(at),
          handled_at: new Date(START + ms).toISOString(),
          stored: isStored(at) ? [{ line_id: '1', pipeline_id: null, node_id: null }] : [],
        },
        message: null,
      }) as unknown as Explanation,
  )
  async function* page({ fromMs, toMs, limit, onlyMissing }: SoughtLines): AsyncGenerator<ExplanationPiece> {
    requests++
    const isWithin = ({ line }: Explanation) => {
      const ms = Date.parse(line.handled_at)
      return ms >= fromMs && ms <= toMs && !(onlyMissing && line.stored.length > 0)
    }
    const found = lines.filter(isWithin).slice(0, limit)
    yield* found
    yield { end: { lines: found.length } }
  }
  return { page, requests: () => requests }
}

async function sought(times: readonly number[], isStored: (at: number) => boolean) {
  const wanted = { query: '', fromMs: START, toMs: START + PERIOD_MS }
  const log = logOf(times, isStored)
  const pieces = await Array.fromAsync(soughtPieces(wanted, new AbortController().signal, log.page))
  const rest = pieces.find(piece => 'restToMs' in piece)
  return {
    places: pieces.flatMap(piece => ('line' in piece ? [Number(piece.line.place)] : [])),
    isIncomplete: pieces.some(piece => 'passedOver' in piece),
    restMs: rest && rest.restToMs - START,
    requests: log.requests(),
  }
}

const numbers = (length: number) => Array.from({ length }, (_, at) => at)

test('all missing lines are found, the newest first, each once, also where several have one time', async () => {
  const times = numbers(400).map(at => Math.floor(at / 20) * 170_000)
  expect(await sought(times, at => at % 10 !== 0)).toMatchObject({
    places: numbers(40).map(at => 390 - 10 * at),
    isIncomplete: false,
    restMs: undefined,
  })
})

test('the newest missing lines end the search, and the time before them is said', async () => {
  const times = numbers(3_600).map(at => at * 1_000)
  const { places, restMs = 0 } = await sought(times, at => at % 2 === 0)
  expect(places.slice(0, 2)).toEqual([3_599, 3_597])
  expect(places.length).toBeLessThan(150)
  expect(restMs).toBeGreaterThan(3_300_000)
  // The rest ends just before the last line that was found.
  expect(Math.floor(restMs / 1_000)).toBe((places.at(-1) as number) - 1)
})

test('a part with more missing lines than a request explains is divided, so that the newest come first', async () => {
  const times = numbers(10_000).map(at => PERIOD_MS - 50_000 + at * 5)
  const { places, requests } = await sought(times, () => false)
  expect(places[0]).toBe(9_999)
  expect(places).toEqual(places.toSorted((a, b) => b - a))
  expect(new Set(places).size).toBe(places.length)
  expect(requests).toBeLessThan(10)
})

test('an hour without missing lines takes few requests, and the last shows stored ones', async () => {
  const times = numbers(3_600).map(at => at * 1_000)
  expect(await sought(times, () => true)).toMatchObject({ places: numbers(20), requests: 5 })
})

test('more lines in one millisecond than a page has are passed over, and this is said', async () => {
  const times = [...numbers(5), ...Array.from({ length: 250 }, () => 5), 6, 7]
  const { places, isIncomplete } = await sought(times, () => false)
  expect(isIncomplete).toBe(true)
  expect(places.slice(0, 2)).toEqual([256, 255])
  expect(new Set(places).size).toBe(places.length)
})
