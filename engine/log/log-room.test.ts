import { describe, expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { LogRoom } from './log-room.ts'

const room = () =>
  new LogRoom({
    clock: manualClock(),
    maxBytes: 1000,
    reserveShare: 0.2,
    minFreeDiskBytes: 0,
    freeBytes: () => Number.POSITIVE_INFINITY,
  })

test('lines fill the log up to the reserve, and not a byte further', () => {
  const log = room()
  log.admit(400, 'ingest')
  log.admit(399, 'ingest')
  expect(() => log.admit(2, 'ingest')).toThrow(expect.objectContaining({ code: 'LOG_FULL' }))
  log.admit(1, 'ingest')
  log.admit(199, 'control')
  log.admit(300, 'control') // one control record at most may exceed the limit
  expect(() => log.admit(1, 'control')).toThrow(expect.objectContaining({ code: 'LOG_FULL' }))
})

test('after a record of lines was refused, the log is full until that record would fit', () => {
  const log = room()
  log.change(500)
  expect(() => log.admit(350, 'ingest')).toThrow(expect.objectContaining({ code: 'LOG_FULL' }))
  expect(log.space().takesIngest).toBe(false)
  log.change(-100)
  expect(log.space().takesIngest).toBe(true)
})

test('a record that needs more than half of the space for lines is too large for this log', () => {
  const log = room()
  log.admit(400, 'ingest')
  expect(() => log.admit(401, 'ingest')).toThrow(expect.objectContaining({ code: 'LOG_RECORD_TOO_LARGE' }))
})

test('events that are handed over leave a quarter of the reserve free', () => {
  const log = room()
  log.change(900)
  log.admit(50, 'outgoing')
  expect(() => log.admit(1, 'outgoing')).toThrow(expect.objectContaining({ code: 'LOG_FULL' }))
  log.admit(1, 'control')
  log.settle(51, 51)
  log.reserve(1_000)
  log.change(-200)
  expect(() => log.admit(1, 'outgoing')).toThrow(expect.objectContaining({ code: 'LOG_FULL' }))
})

describe('ordinary changes of the configuration', () => {
  const FULL = expect.objectContaining({ code: 'LOG_FULL' })

  test('have a quarter of the log, counted in their topic, so that lines keep the rest', () => {
    const log = room()
    log.change(300)
    log.admit(100, 'change', () => 150)
    expect(() => log.admit(101, 'change', () => 150)).toThrow(FULL)
    log.admit(101, 'control', () => 150)
    log.admit(200, 'ingest')
  })

  test('leave half of the reserve free, or what checkpoints need', () => {
    const log = room()
    log.change(850)
    log.admit(50, 'change', () => 0)
    expect(() => log.admit(1, 'change', () => 0)).toThrow(FULL)
    log.settle(50, 0)
    log.reserve(140)
    log.admit(10, 'change', () => 0)
    expect(() => log.admit(1, 'change', () => 0)).toThrow(FULL)
    log.admit(100, 'control')
  })
})
