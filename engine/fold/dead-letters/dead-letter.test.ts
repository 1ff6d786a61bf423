import { expect, test } from 'vitest'
import { deadLettersType, type FailedEvents } from '../../../schemas/log/dead-letters.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import { linesOf } from '../../../test/support/loose-fold.ts'
import { Event } from '../../event/event.ts'
import { type DeadLetter, deadLetterValues, lettersIn } from './dead-letter.ts'

/** The letter of a line that failed in the row of its app. */
function letterOf(app: string, row: number, further: Partial<DeadLetter> = {}): DeadLetter {
  return {
    ...{ topic: 'weir.ingest', partition: 0, offset: 5, row, pipeline: 'p', version: 1, node: 'store' },
    ...{ failedAtMs: 1_000, code: 'E_NOT_FOUND', field: '.x', message: 'no field' },
    event: Event.ofLine(linesOf([app]), 0),
    ...further,
  }
}

/** The parts of each record. */
function partsOf(letters: readonly DeadLetter[]): FailedEvents[][] {
  const records = deadLetterValues('a', letters).map(value => deadLettersType.decode(value))
  return records.map(({ parts }) =>
    parts.flatMap(part => ('weir.FailedEvents' in part ? part['weir.FailedEvents'] : [])),
  )
}

test('letters come back from their record with the event and the reason of the failure', () => {
  const [[part] = []] = partsOf([letterOf('web', 0), letterOf('db', 1)])
  const letters = lettersIn(part as FailedEvents)
  expect(letters.map(({ row, event }) => [row, event.member('app')])).toEqual([
    [0, 'web'],
    [1, 'db'],
  ])
  const { event: _, ...facts } = letterOf('web', 0)
  expect(letters[0]).toMatchObject(facts)
})

test('a letter keeps the annotations of its event, in a record of the newer form', () => {
  const { event } = letterOf('web', 0)
  const letters = [letterOf('db', 1), letterOf('web', 0, { event: event.withAnnotations({ app: 'gate' }) })]
  const [value] = deadLetterValues('a', letters) as [Buffer]
  expect(schemaIdOf(value)).toBe(1_000_000_009)
  const [[part] = []] = partsOf(letters)
  const annotations = lettersIn(part as FailedEvents).map(each => each.event.annotations)
  expect(annotations).toEqual([undefined, { app: 'gate' }])
  expect(schemaIdOf(deadLetterValues('a', letters.slice(0, 1))[0] as Buffer)).toBe(1_000_000_002)
})

test('letters of one node that follow each other are one part; another node begins the next', () => {
  const nodes = ['store', 'store', 'other', 'store']
  const [parts = []] = partsOf(nodes.map((node, row) => letterOf('web', row, { node })))
  expect(parts.map(({ node, failures }) => [node, failures.map(({ row }) => row)])).toEqual([
    ['store', [0, 1]],
    ['other', [2]],
    ['store', [3]],
  ])
})

test('a record ends before the part that would make it too large', () => {
  const letters = Array.from({ length: 8 }, (_, row) => letterOf('x'.repeat(200_000), row))
  const records = partsOf(letters)
  expect(records.length).toBeGreaterThan(1)
  expect(records.flat().flatMap(({ failures }) => failures.map(({ row }) => row))).toEqual([
    ...letters.keys(),
  ])
})
