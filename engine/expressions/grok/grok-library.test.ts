import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { capturingExpressionOf } from '../captures/capturing-expression.ts'
import { answerOf } from '../counted-work.ts'
import { parseExpression } from '../parse-expression.ts'
import { expandedPattern } from './grok-expression.ts'
import { GROK_LIBRARY, GROK_TOPICS } from './grok-library.ts'
import { grokSteps, MAX_GROK_STEPS } from './grok-size.ts'

const patterns = GROK_TOPICS.flatMap(topic => Object.entries(topic))

describe.each(patterns)('%s', (name, { lines, others }) => {
  const whole = `\\A(?:${expandedPattern(`%{${name}}`, [])})\\z`
  const expression = capturingExpressionOf(parseExpression(whole, {}))
  const captures = (line: string) => answerOf(expression.find(line))

  test('matches its lines, and has the same captures as in the library of expressions', () => {
    expect(lines.length).toBeGreaterThan(0)
    const compiled = RE2JS.compile(whole)
    for (const line of lines) {
      const found = captures(line)
      expect(found, line).not.toBeNull()
      const matcher = compiled.matcher(line)
      expect(matcher.find(), line).toBe(true)
      const places = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => [
        matcher.start(group),
        matcher.end(group),
      ])
      expect([...(found ?? [])], line).toEqual(places.flat())
    }
  })

  test('does not match other lines', () => {
    expect(others.length).toBeGreaterThan(0)
    for (const line of others) expect(captures(line), line).toBeNull()
  })

  test('is small enough to stand in a pattern with others', () => {
    expect(grokSteps(`%{${name}}`)).toBeLessThan(MAX_GROK_STEPS / 3)
  })
})

test('no two topics define one name', () => {
  expect(patterns.length).toBe(GROK_LIBRARY.size)
})

/** The classification of lines (components, section 9.4) names these; a star stands for any end. */
test.each([
  ...['HTTPD_COMBINEDLOG', 'HTTPD_COMMONLOG', 'HTTPD_ERRORLOG', 'SYSLOG5424LINE', 'SYSLOGPAMSESSION'],
  ...['SYSLOGLINE', 'CRONLOG', 'MONGO3_LOG', 'NAGIOSLOGLINE', 'POSTGRESQL', 'RAILS3', 'REDISLOG'],
  ...['S3_ACCESS_LOG', 'ELB_ACCESS_LOG', 'CLOUDFRONT_ACCESS_LOG', 'CATALINALOG', 'TOMCATLOG', 'REDISMONLOG'],
  ...['RUBY_LOGGER', 'SQUID3', 'BIND9', 'HAPROXYTCP', 'HAPROXYHTTP', 'BACULA_LOGLINE', 'NETSCREENSESSIONLOG'],
  ...['SHOREWALL', 'SFW2', 'JSON_OBJECT', 'JSON_ARRAY', 'XML', 'CURLY_BRACKET', 'SQUARE_BRACKET', 'TAB'],
  ...['SINGLE_SPACE', 'ANY_CHAR', 'DOUBLE_QUOTE', 'SINGLE_QUOTE', 'PERIOD', 'PERIOD_CHAR', 'UTF8_WORD'],
  ...['SENTENCE', 'OPTIONAL_SENTENCE', 'PSQL_LOG', 'GOLANG_LOG', 'ELASTICSEARCH_LOG', 'QS', 'QUOTEDSTRING'],
])('%s is in the library', name => {
  expect(GROK_LIBRARY.has(name)).toBe(true)
})

test.each(['BRO_', 'CISCO', 'K8S_'])('the library has patterns whose names begin with %s', start => {
  expect([...GROK_LIBRARY.keys()].some(name => name.startsWith(start))).toBe(true)
})
