import { expect, test } from 'vitest'
import { askerOfKey } from './asker.ts'
import { FairPlaces } from './fair-places.ts'

/** Takes places in order; a caller is an account, or an enterprise, a slash and an account. @returns callers in the order in which they got one, and how each gives it back */
function requests(places: FairPlaces, callers: readonly string[]) {
  const began: string[] = []
  const ends: (() => void)[] = []
  for (const caller of callers)
    void places.take(askerOfKey(caller)).then(end => {
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
  const end = await places.take(askerOfKey('a'))
  const gone = new AbortController()
  const waiting = places.take(askerOfKey('b'), gone.signal)
  const last = places.take(askerOfKey('c'))
  gone.abort(new Error('the client went away'))
  await expect(waiting).rejects.toThrow('the client went away')
  end()
  const endLast = await last
  endLast()
  await expect(places.take(askerOfKey('a'), gone.signal)).rejects.toThrow('the client went away')
  await places.take(askerOfKey('a'))
})

test('a caller with the most places leaves one for the others, and goes on when it gives one back', async () => {
  const { began, ends, settled } = requests(new FairPlaces(3, 2), ['a', 'a', 'a', 'a', 'b', 'c'])
  await settled()
  expect(began).toEqual(['a', 'a', 'b'])
  ends[2]?.()
  await settled()
  expect(began).toEqual(['a', 'a', 'b', 'c'])
  ends[3]?.()
  await settled()
  expect(began).toHaveLength(4)
  ends[0]?.()
  await settled()
  expect(began).toEqual(['a', 'a', 'b', 'c', 'a'])
})

test('enterprises take turns, and the accounts of an enterprise, however many accounts one has', async () => {
  const waiting = ['e/1', 'e/1', 'e/1', 'e/2', 'e/3', 'a', 'a', 'f/1']
  const { began, ends, settled } = requests(new FairPlaces(1), waiting)
  for (let count = 1; count <= waiting.length; count++) {
    await settled()
    ends[count - 1]?.()
  }
  expect(began).toEqual(['e/1', 'e/1', 'a', 'f/1', 'e/2', 'a', 'e/3', 'e/1'])
})

test('an enterprise has every place until another one asks, and from then on leaves one', async () => {
  const { began, ends, settled } = requests(new FairPlaces(3, 2), [
    'e/1',
    'e/2',
    'e/3',
    'e/4',
    'e/5',
    'a',
    'b',
  ])
  await settled()
  expect(began).toEqual(['e/1', 'e/2', 'e/3'])
  ends[0]?.()
  await settled()
  ends[3]?.()
  await settled()
  expect(began).toEqual(['e/1', 'e/2', 'e/3', 'a', 'b'])
  ends[4]?.()
  await settled()
  expect(began).toHaveLength(5)
  ends[1]?.()
  await settled()
  expect(began).toEqual(['e/1', 'e/2', 'e/3', 'a', 'b', 'e/4'])
})

test('the program itself does not count as another enterprise', async () => {
  const { began, settled } = requests(new FairPlaces(3, 2), ['', 'e/1', 'e/2', 'e/3'])
  await settled()
  expect(began).toEqual(['', 'e/1', 'e/2'])
})
