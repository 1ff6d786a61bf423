import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

describe('weir credentials', () => {
  test('prints them for people and for programs', async () => {
    await line.writeCredentials()
    const env = { WEIR_DATA_DIR: line.folder }
    expect(JSON.parse((await line.run(['credentials', '--json'], { env })).out)).toEqual(line.credentials())
    expect((await line.run(['credentials'], { env })).out).toMatch(/^Access token +sts_local$/m)
  })
})
