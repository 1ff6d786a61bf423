import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseQuery } from '../../../engine/query-language/parse-query.ts'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { QUERY_FORMS } from './query-topic.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

test('weir help query explains the query language, and the commands that take a query name it', async () => {
  const { code, out } = await line.run(['help', 'query'])
  expect([code, out]).toEqual([0, expect.stringContaining('\n  status:>=500                 a comparison')])
  expect((await line.run(['query'])).out).toBe(out)
  for (const command of ['search', 'tail', 'export'])
    expect((await line.run([command, '--help'])).out).toContain('weir help query')
  expect((await line.run(['--help'])).out).not.toMatch(/^ {2}query/m)
})

test.each(QUERY_FORMS.flatMap(([, forms]) => forms))('the query %s is one', form => {
  expect(() => parseQuery(form)).not.toThrow()
})

test('it fits a narrow terminal', async () => {
  const { out } = await line.run(['help', 'query'], { columns: 60 })
  expect(Math.max(...out.split('\n').map(each => each.length))).toBeLessThanOrEqual(60)
})
