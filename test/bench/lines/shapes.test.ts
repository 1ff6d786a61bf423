import { describe, expect, test } from 'vitest'
import type { SentLine } from './line-shape.ts'
import { RARE_WORDS, rareWord, rareWordOf } from './rare-words.ts'
import { SHAPES, shapeOf } from './shapes.ts'

const START_MS = Date.UTC(2026, 10, 23, 8)
const SAMPLE = 2_000

const newSample = (name: string, seed = 1): readonly SentLine[] => {
  const lineAt = shapeOf(name).lines({ seed, startMs: START_MS })
  return Array.from({ length: SAMPLE }, (_, index) => lineAt(index))
}
const SAMPLES = new Map(SHAPES.map(({ name }) => [name, newSample(name)]))
const sample = (name: string) => SAMPLES.get(name) as readonly SentLine[]
const texts = (name: string) => sample(name).map(({ line }) => line)

/** Members that are not objects, and the level of the deepest one. */
function leavesOf(value: unknown, depth = 0): { count: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { count: 1, depth }
  const parts = Object.values(value).map(member => leavesOf(member, depth + 1))
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    depth: Math.max(...parts.map(part => part.depth)),
  }
}

describe.each(SHAPES)('lines of $name', ({ name, isJson, meanBytes, lines }) => {
  test('are the same for the same seed, and others for another seed', () => {
    expect(newSample(name)).toEqual(sample(name))
    expect(newSample(name, 2)).not.toEqual(sample(name))
  })

  test('do not depend on the lines that were made before', () => {
    const lineAt = lines({ seed: 1, startMs: START_MS })
    expect(lineAt(1_500)).toEqual(sample(name)[1_500])
    expect(lineAt(3)).toEqual(sample(name)[3])
  })

  test('are within the bounds of their size and below the limit of a line', () => {
    const sizes = texts(name).map(line => Buffer.byteLength(line))
    const mean = sizes.reduce((sum, size) => sum + size, 0) / SAMPLE
    expect(mean).toBeGreaterThanOrEqual(meanBytes.least)
    expect(mean).toBeLessThanOrEqual(meanBytes.most)
    expect(Math.max(...sizes)).toBeLessThan(16_384)
  })

  test('have well-formed text without a line end, and differ nearly all', () => {
    for (const line of texts(name)) {
      expect(line.isWellFormed()).toBe(true)
      expect(line).not.toMatch(/[\n\r]/)
    }
    expect(new Set(texts(name)).size).toBeGreaterThan(SAMPLE * 0.99)
  })

  test.runIf(isJson)('are JSON objects as JSON.stringify writes them', () => {
    for (const line of texts(name)) {
      const members = JSON.parse(line)
      expect(Object.prototype.toString.call(members)).toBe('[object Object]')
      if (name !== 'escapes') expect(JSON.stringify(members)).toBe(line)
    }
  })

  test('have three levels in their shares, and times that rise by a millisecond per ten lines', () => {
    const sent = sample(name)
    const share = (level: string) => sent.filter(line => line.level === level).length / SAMPLE
    expect(share('info')).toBeCloseTo(0.5, 1)
    expect(share('warn')).toBeCloseTo(0.3, 1)
    expect(share('error')).toBeCloseTo(0.2, 1)
    expect(sent.map(({ timestamp }) => timestamp - START_MS)).toEqual(
      Array.from({ length: SAMPLE }, (_, index) => Math.floor(index / 10)),
    )
  })
})

test('the shape of the figures has nine members, 16 digits in a row and backslashes as often as real lines', () => {
  const lines = texts('json')
  for (const line of lines) expect(leavesOf(JSON.parse(line))).toEqual({ count: 9, depth: 1 })
  const share = (pattern: RegExp) => lines.filter(line => pattern.test(line)).length / SAMPLE
  expect(share(/\d{16}/)).toBeCloseTo(0.125, 1)
  expect(share(/\\/)).toBeGreaterThan(0.005)
  expect(share(/\\/)).toBeLessThan(0.03)
})

test.each([
  ['container', 4],
  ['wide', 1],
])('%s has 40 members, the deepest at level %i', (name, depth) => {
  for (const line of texts(name)) expect(leavesOf(JSON.parse(line))).toEqual({ count: 40, depth })
})

test('every line of escapes has each kind of escape', () => {
  for (const line of texts('escapes'))
    for (const written of ['\\n', '\\t', '\\"', '\\u003c']) expect(line).toContain(written)
})

test('lines of non-ascii hold characters of one to four bytes', () => {
  const all = texts('non-ascii').join('')
  for (const character of ['a', 'З', '上', '😕']) expect(all.includes(character), character).toBe(true)
})

test('mixed holds text and each kind of JSON', () => {
  const shares = Map.groupBy(texts('mixed'), line => line.startsWith('{'))
  expect((shares.get(false)?.length ?? 0) / SAMPLE).toBeCloseTo(0.3, 1)
})

test('each rare word is in 20 of two million lines, and a line that has one ends with it', () => {
  const counts = new Map<string, number>()
  for (let number = 0; number < 2_000_000; number++) {
    const word = rareWordOf(number)
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  expect(counts.size).toBe(RARE_WORDS + 1)
  for (const [word, count] of counts) expect([word, count >= 19 && count <= 20]).toEqual([word, true])
  const lineAt = shapeOf('json').lines({ seed: 1, startMs: START_MS })
  expect(lineAt(7_500).line).toContain(` ${rareWord(1)}"}`)
})
