import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BEHAVIOUR, FIXED_BEHAVIOURS } from '../../schemas/log/behaviour-numbers.ts'

const DATA = new URL('../data/', import.meta.url)

/** Digests in the form of `sha256sum`: a digest and a path within test/data per line. */
const LISTED = readFileSync(new URL('fixed-behaviours.sha256', DATA), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => line.split('  '))
const FIXED = Array.from({ length: FIXED_BEHAVIOURS }, (_, index) => index + 1)
const FILES = FIXED.flatMap(number => [
  `golden/behaviour-${number}.json`,
  `folders/behaviour-${number}.tar.gz`,
])

test('the golden log and the data folder of each fixed number are listed, and nothing else', () => {
  expect(LISTED.map(([, file]) => file)).toEqual(FILES)
  expect(FIXED_BEHAVIOURS).toBeLessThanOrEqual(BEHAVIOUR)
})

/**
 * Logs of a fixed number exist outside this repository. A file that was deleted and written again would hide that this program
 * gives other results for them.
 */
test.each(FILES)('%s is the file of its time', file => {
  const digest = createHash('sha256')
    .update(readFileSync(new URL(file, DATA)))
    .digest('hex')
  expect(LISTED).toContainEqual([digest, file])
})
