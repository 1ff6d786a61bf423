import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

let line: CommandLine
let done: number
/** Number of looks until a partition has completed its part. */
let looks: number
beforeEach(async () => {
  line = await commandLine()
  done = 0
  looks = 1
  let enabled = false
  line.reply = ({ method, body }) => {
    if (method === 'PUT') {
      enabled = JSON.parse(body.toString()).enabled
      done = 0
    } else {
      done = Math.min(2, done + 1 / looks)
    }
    const phase = `${done === 2 ? '' : 'turning_'}${enabled ? 'on' : 'off'}`
    return { body: { data: { phase, partitions: 2, partitions_done: Math.floor(done) } } }
  }
})
afterEach(() => line.close())

test('weir spread on waits until every partition has done its part', async () => {
  expect(await line.run(['spread', 'on'])).toEqual({
    code: 0,
    out: 'The lines of the account go to all 2 partitions, by host.\n',
    err: '',
  })
})

test('weir spread on shows its progress while it waits', async () => {
  looks = 8
  const { code, err } = await line.run(['spread', 'on'])
  expect(code).toBe(0)
  expect(err).toMatch(/^It is being turned on: \d of 2 partitions have completed their part\.\n/)
})

test('weir spread shows the progress of a change', async () => {
  expect((await line.run(['spread'])).out).toBe(
    'It is being turned off: 1 of 2 partitions have completed their part.\n',
  )
  expect((await line.run(['spread'])).out).toBe('The lines of the account go to one partition.\n')
  expect(JSON.parse((await line.run(['spread', '--json'])).out)).toEqual({
    phase: 'off',
    partitions: 2,
    partitions_done: 2,
  })
})

test('weir spread accepts only on and off', async () => {
  expect((await line.run(['spread', 'maybe'])).code).toBe(2)
})
