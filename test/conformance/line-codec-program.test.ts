import { expect, test } from 'vitest'
import { builtProgram, CODEC_PROGRAMS, committedProgram } from '../support/codec-build.ts'

test.each(CODEC_PROGRAMS)('the committed program $module is compiled from its source', async program => {
  expect(committedProgram(program) === (await builtProgram(program))).toBe(true)
})
