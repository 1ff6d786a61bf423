import { expect, test } from 'vitest'
import { FairPlaces } from './fair-places.ts'

/** Takes places in order. @returns callers in the order in which they got one, and how each gives it back */
function requests(places: FairPlaces, callers: readonly string[]) {
  const began: string[] = []
  const ends: (() => void)[] = []
  for (const caller of callers)
    void places.take(caller).then(end => {
      began.push(caller)
      ends.push(end)
    })
  const settled = () => new Promise(setImmediate)
  return { began, ends, settled }
}

test('callers get places in turn, however many requests one of them has', async () => {
  const { began, ends, settled } = requests(new FairPlaces(1), ['a', 'a', 'a', 'b', 'c', 'b'])
  for (let count = 1; count <= 6; count++) {
    await settled()
    expect(began).toHaveLength(count)
    ends[count - 1]?.()
  }
  expect(began).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
})

test('one request per place runs at a time, and a place that is given back twice counts once', async () => {
  const { began, ends, settled } = requests(new FairPlaces(2), ['a', 'a', 'a', 'a'])
  await settled()
  expect(began).toHaveLength(2)
  ends[0]?.()
  ends[0]?.()
  await settled()
  expect(began).toHaveLength(3)
})

test('a request whose signal is aborted leaves the queue, and its place goes to the next', async () => {
  const places = new FairPlaces(1)
  const end = await places.take('a')
  const gone = new AbortController()
  const waiting = places.take('b', gone.signal)
  const last = places.take('c')
  gone.abort(new Error('the client went away'))
  await expect(waiting).rejects.toThrow('the client went away')
  end()
  const endLast = await last
  endLast()
  await expect(places.take('a', gone.signal)).rejects.toThrow('the client went away')
  await places.take('a')
})
