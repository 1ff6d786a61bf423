import { beforeEach, expect, test } from 'vitest'
import { RequestSlots } from './request-slots.ts'

const NODE = { account: 'a', pipeline: 'p', node: 'out' }
const settled = () => new Promise(resolve => setImmediate(resolve))

let slots: RequestSlots
/** Ends of the requests on their way, by their names. */
let ends: Map<string, () => void>

beforeEach(() => {
  slots = new RequestSlots()
  ends = new Map()
})

function begin(name: string, node = NODE, signal = new AbortController().signal): Promise<string> {
  return slots.run(node, signal, () => new Promise(resolve => ends.set(name, () => resolve(name))))
}

test('a node has eight requests on their way, and the next ones have their turns in order', async () => {
  for (let number = 0; number < 10; number++) void begin(`${number}`)
  void begin('other', { ...NODE, node: 'other' })
  await settled()
  expect([...ends.keys()].join()).toBe('0,1,2,3,4,5,6,7,other')
  ends.get('3')?.()
  await settled()
  expect(ends.has('8') && !ends.has('9')).toBe(true)
  ends.get('other')?.()
  await settled()
  expect(ends.has('9')).toBe(false)
})

test('a request that is not wanted any longer leaves its turn to the next', async () => {
  for (let number = 0; number < 8; number++) void begin(`${number}`)
  const ended = new AbortController()
  const left = begin('left', NODE, ended.signal)
  void begin('next')
  ended.abort('not wanted')
  await expect(left).rejects.toBe('not wanted')
  await expect(begin('late', NODE, ended.signal)).rejects.toBe('not wanted')
  ends.get('0')?.()
  await settled()
  expect([ends.has('next'), ends.has('left')]).toEqual([true, false])
})

test('a slot is free again after an error', async () => {
  const fail = () => slots.run(NODE, new AbortController().signal, () => Promise.reject(new Error('no')))
  for (let number = 0; number < 20; number++) await expect(fail()).rejects.toThrow('no')
})
