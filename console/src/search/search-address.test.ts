import { expect, test } from 'vitest'
import {
  changedAddress,
  changeOfFilter,
  columnsText,
  type FilterValue,
  listedPart,
  readAddress,
  selectionOf,
} from './search-address.ts'

const NOW = 1_800_000_000_000
const read = (text: string) => readAddress(new URLSearchParams(text))

test('an empty address is the last hour, newest first', () => {
  expect(read('')).toMatchObject({
    query: '',
    from: '1h',
    to: 'now',
    order: 'newest',
    tab: 'fields',
    line: null,
  })
  expect(selectionOf(read(''), NOW)).toMatchObject({ fromMs: NOW - 3_600_000, toMs: NOW, apps: [] })
})

test('an address holds query, range, lists and the selected line', () => {
  const address = read('q=a+%22b%22&from=5&to=1000&apps=web,db&line=1.2&open=context&order=oldest&wrap=on')
  expect(address).toMatchObject({
    query: 'a "b"',
    line: '1.2',
    tab: 'context',
    order: 'oldest',
    isWrapped: true,
  })
  expect(selectionOf(address, NOW)).toMatchObject({ fromMs: 5, toMs: 1000, apps: ['web', 'db'], hosts: [] })
})

test('nonsense in an address falls back to what is usual', () => {
  const address = read('from=yesterday&to=x&open=nothing&order=random')
  expect(selectionOf(address, NOW)).toMatchObject({ fromMs: NOW - 3_600_000, toMs: NOW })
  expect(address).toMatchObject({ tab: 'fields', order: 'newest' })
})

test('a range that ends before it starts is empty, and no error', () => {
  expect(selectionOf(read('from=1000&to=5'), NOW)).toMatchObject({ fromMs: 5, toMs: 5 })
})

test('the list begins at a time of the range, in either order', () => {
  const part = (text: string) => {
    const address = read(`from=100&to=900&${text}`)
    const { fromMs, toMs } = listedPart(selectionOf(address, NOW), address)
    return [fromMs, toMs]
  }
  expect(part('at=500')).toEqual([100, 500])
  expect(part('at=500&order=oldest')).toEqual([500, 900])
  expect(part('at=50')).toEqual([100, 100])
  expect(part('at=5000&order=oldest')).toEqual([900, 900])
  for (const at of ['', 'at=', 'at=now', 'at=-5']) expect(part(at)).toEqual([100, 900])
})

test('a change keeps the other keys, and removes empty ones', () => {
  const next = changedAddress(new URLSearchParams('q=a&tz=UTC&line=5'), { q: 'b', line: undefined, apps: '' })
  expect(next.toString()).toBe('q=b&tz=UTC')
})

test('columns of an address come back, and the usual ones are not written', () => {
  for (const columns of [[], ['level'], ['app', 'meta.ms', 'user.name']])
    expect(read(`cols=${columnsText(columns)}`).columns).toEqual(columns)
  expect(columnsText(read('').columns)).toBeUndefined()
  expect(read('cols=a,a,,b').columns).toEqual(['a', 'b'])
})

test('a filter that is switched off stays in the address, and leaves no line out', () => {
  let parameters = new URLSearchParams('apps=web,db&q=a')
  const change = (filter: FilterValue, state: 'on' | 'off' | 'removed') => {
    parameters = changedAddress(parameters, changeOfFilter(readAddress(parameters), filter, state))
    return decodeURIComponent(parameters.toString())
  }
  const web = { list: 'apps', value: 'web' } as const
  const host = { list: 'hosts', value: 'a:1' } as const
  expect(change(web, 'off')).toBe('apps=db&q=a&off=apps:web')
  expect(readAddress(parameters).off).toEqual([web])
  expect(selectionOf(readAddress(parameters), NOW)).toMatchObject({ apps: ['db'] })
  expect(change(host, 'off')).toBe('apps=db&q=a&off=apps:web,hosts:a:1')
  expect(readAddress(parameters).off).toEqual([web, host])
  expect(change(web, 'on')).toBe('apps=db,web&q=a&off=hosts:a:1')
  expect(change(host, 'removed')).toBe('apps=db,web&q=a')
  expect(change(web, 'removed')).toBe('apps=db&q=a')
})

test('a filter of an address is on or off once, and nonsense is passed over', () => {
  expect(read('apps=web&off=apps:web,levels:error,levels:error,apps:,web,query:a,:').off).toEqual([
    { list: 'levels', value: 'error' },
  ])
})
