import { beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../times/duration.ts'
import { CheckpointSchedule } from './checkpoint-schedule.ts'

const NOON_MS = Date.UTC(2031, 4, 6, 12)
const MIB = 1024 * 1024

describe('after a checkpoint of 1 MiB at noon', () => {
  let schedule: CheckpointSchedule
  beforeEach(() => {
    schedule = new CheckpointSchedule()
    schedule.noteCheckpoint(MIB, NOON_MS)
  })

  test('the next is due once twenty times its size has been read', () => {
    schedule.noteRead(20 * MIB - 1)
    expect(schedule.isDue(NOON_MS)).toBe(false)
    schedule.noteRead(1)
    expect(schedule.isDue(NOON_MS)).toBe(true)
  })

  test('the next is due after an hour with content, and not without', () => {
    expect(schedule.isDue(NOON_MS + HOUR_MS)).toBe(false)
    schedule.noteContent()
    expect(schedule.isDue(NOON_MS + HOUR_MS - 1)).toBe(false)
    expect(schedule.isDue(NOON_MS + HOUR_MS)).toBe(true)
  })

  test('the next is due when a UTC day with content has ended', () => {
    const late = NOON_MS + DAY_MS / 2
    schedule.noteCheckpoint(MIB, late - 2)
    schedule.noteContent()
    expect(schedule.isDue(late - 1)).toBe(false)
    expect(schedule.isDue(late)).toBe(true)
  })

  test('its size is bounded by the last one and everything read since', () => {
    schedule.noteRead(5)
    expect(schedule.nextBytes).toBe(MIB + 5)
  })
})

test('a small state is not written before 8 MiB have been read', () => {
  const schedule = new CheckpointSchedule()
  schedule.noteCheckpoint(10, NOON_MS)
  schedule.noteRead(8 * MIB - 1)
  expect(schedule.isDue(NOON_MS)).toBe(false)
  schedule.noteRead(1)
  expect(schedule.isDue(NOON_MS)).toBe(true)
})
