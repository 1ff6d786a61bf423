import { expect, test } from 'vitest'
import { answerOf } from '../../../expressions/counted-work.ts'
import { grokExpression } from '../../../expressions/grok/grok-expression.ts'
import { GROK_TOPICS } from '../../../expressions/grok/grok-library.ts'
import { LINE_TYPES, LineClassification } from './line-type.ts'

const ACCESS = '192.0.2.7 - ida [09/Mar/2031:08:15:30 +0000] "GET /doors/4 HTTP/1.1" 200 5316'
const lines = GROK_TOPICS.flatMap(topic =>
  Object.values(topic).flatMap(({ lines, others }) => [...lines, ...others]),
)

function typeOf(line: string, mostUnits = Number.POSITIVE_INFINITY): string | null {
  return answerOf(new LineClassification(line, mostUnits))
}

test('the type is the first pattern that matches, also for lines in which texts of others occur', () => {
  const found = new Set<string>()
  for (const line of lines) {
    const first = LINE_TYPES.find(name => answerOf(grokExpression(`%{${name}}`).find(line)) !== null) ?? null
    expect(typeOf(line), line).toBe(first)
    if (first !== null) found.add(first)
  }
  expect(found.size).toBeGreaterThan(50)
})

test('plain lines have no type', () => {
  for (const line of ['oven 4 at 231', 'T', '', 'the door is shut', 'Built outbound dynamic'])
    expect([line, typeOf(line)]).toEqual([line, null])
})

test('finding a type costs the same units in pieces, and ends at its bound without one', () => {
  const whole = new LineClassification(ACCESS, Number.POSITIVE_INFINITY)
  expect(answerOf(whole)).toBe('HTTPD_COMMONLOG')
  const pieces = new LineClassification(ACCESS, Number.POSITIVE_INFINITY)
  let answer: string | null | undefined
  for (let work = 100; answer === undefined; work += 100) answer = pieces.run(Number.POSITIVE_INFINITY, work)
  expect([answer, pieces.units]).toEqual(['HTTPD_COMMONLOG', whole.units])
  expect(typeOf(ACCESS, whole.units)).toBe('HTTPD_COMMONLOG')
  expect(typeOf(ACCESS, 1_000)).toBeNull()
  const long = new LineClassification(`a: ${'x '.repeat(8_000)}`, 20_000)
  expect(answerOf(long)).toBeNull()
  expect(long.units).toBe(20_000)
  expect(answerOf(long)).toBeNull()
})
