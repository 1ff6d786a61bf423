import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

let line: CommandLine

beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

test('on the embedded log it names the alternative', async () => {
  const embedded = await line.run(['status'])
  expect(embedded).toMatchObject({ code: 2, out: '' })
  expect(embedded.err).toContain('KAFKA_BROKERS is not set: on the embedded log there is only one process')
})
