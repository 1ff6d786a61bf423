import { expect, test } from 'vitest'
import { PAUSE_MODES } from '../../schemas/pipeline.ts'
import { pauseMembers, pauseModeOf, takesEvents } from './pause-mode.ts'

test('every mode is read back from the members that express it', () => {
  for (const mode of [undefined, ...PAUSE_MODES]) expect(pauseModeOf(pauseMembers(mode))).toBe(mode)
})

test('events of a pipeline belong to nobody only while it is paused by mode store', () => {
  expect([undefined, ...PAUSE_MODES].filter(mode => !takesEvents(pauseMembers(mode)))).toEqual(['store'])
})

test('a program that does not know of modes runs a held pipeline on, and pauses the others', () => {
  expect(PAUSE_MODES.filter(mode => pauseMembers(mode).paused === true)).toEqual(['store', 'drop'])
})
