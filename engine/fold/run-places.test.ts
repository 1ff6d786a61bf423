import { expect, test } from 'vitest'
import { RunPlaces } from './run-places.ts'

const PARTITION = { topic: 'weir.ingest', partition: 3, logId: '00000000-0000-4000-8000-000000000000' }

test('a place names log, partition, record, pipeline and version, and a replay repeats it', () => {
  const moment = { offset: 7n }
  const places = new RunPlaces(PARTITION, moment)
  const first = places.of('p', 1)
  const texts = [first.text(), places.of('p', 2).text(), places.of('q', 1).text()]
  moment.offset = 8n
  texts.push(
    places.of('p', 1).text(),
    new RunPlaces({ ...PARTITION, partition: 4 }, moment).of('p', 1).text(),
  )
  expect(new Set(texts).size).toBe(texts.length)
  expect([first.record, first.text()]).toEqual([7n, texts[0]])
  expect(new RunPlaces(PARTITION, { offset: 7n }).of('p', 1).text()).toBe(texts[0])
})

test('a preview has other places, which do not depend on the version', () => {
  const places = new RunPlaces(PARTITION, { offset: 7n })
  const before = places.of('p', 1).text()
  places.beginPreview()
  const [one, two] = [places.of('p', 1).text(), places.of('p', 2).text()]
  expect(one).not.toBe(before)
  expect(two).toBe(one)
})
