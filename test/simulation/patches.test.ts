import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { WRITE_INSTANTS } from '../support/write-instants.ts'
import { GUARDS } from './guards.ts'
import { patched } from './switched-off.ts'

const ROOT = new URL('../../', import.meta.url)

/** The campaign that switches guards off takes hours; a guard that was moved shows itself here in a moment. */
test.each(Object.entries(GUARDS))(
  'each patch of a guard meets its text exactly once: %s',
  (_name, { patches = [], storeDefect }) => {
    expect(patches.length > 0 || storeDefect !== undefined).toBe(true)
    const sources = new Map<string, string>()
    for (const patch of patches) {
      const source = sources.get(patch.file) ?? readFileSync(new URL(patch.file, ROOT), 'utf8')
      const without = patched(source, patch)
      expect(without).not.toBe(source)
      sources.set(patch.file, without)
    }
  },
)

test('a text that is nowhere, or twice, is not the place of a guard', () => {
  const patch = { file: 'a.ts', find: 'guard()', replace: '' }
  expect(() => patched('other()', patch)).toThrow('"guard()" stands 0 times in a.ts: where is the guard now?')
  expect(() => patched('guard() guard()', patch)).toThrow('stands 2 times')
})

test.each(WRITE_INSTANTS)('the place of a kill meets its text exactly once: %s', (_instant, patch) => {
  const source = readFileSync(new URL(patch.file, ROOT), 'utf8')
  expect(patched(source, patch)).not.toBe(source)
})
