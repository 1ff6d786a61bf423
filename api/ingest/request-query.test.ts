import { describe, expect, test } from 'vitest'
import { driftOf, readQuery } from './request-query.ts'

const NOW_MS = 1_767_225_600_000

describe('the query is decoded leniently', () => {
  test.each([
    ['hostname=web-1', 'web-1'],
    ['hostname=web%201', 'web 1'],
    ['hostname=web+1', 'web 1'],
    ['hostname=100%', '100%'],
    ['hostname=a%zzb%4', 'a%zzb%4'],
    ['hostname=%c3%a9', 'é'],
    ['hostname=%e9', 'é'],
    [`hostname=${Buffer.from('é').toString('latin1')}`, 'é'],
    ['hostname=%20', ''],
    ['hostname=', ''],
    ['hostname', ''],
    ['hostname=a=b', 'a=b'],
    ['hostname=first&hostname=second', 'first'],
    ['hostname=&hostname=second', 'second'],
    ['host%6eame=x', 'x'],
    ['other=x', ''],
    ['hasOwnProperty=x&__proto__=y&hostname=z', 'z'],
    [`hostname=${'x'.repeat(256)}`, 'x'.repeat(256)],
    [`hostname=${'x'.repeat(257)}`, 'x'.repeat(256)],
    [`hostname=${'%f0%9f%98%80'.repeat(257)}`, '😀'.repeat(256)],
  ])('%.60s', (query, hostname) => {
    expect(readQuery(`/logs/ingest?${query}`).hostname).toBe(hostname)
  })

  test('tags of repeated parameters are joined', () => {
    expect(readQuery('/?tags=a,%20b%2Cc&tags=a&tags=&tags=d').tags).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a missing query is an empty one', () => {
    expect(readQuery('/logs/ingest')).toEqual({
      hostname: '',
      mac: '',
      ip: '',
      now: '',
      apikey: '',
      tags: [],
    })
  })
})

describe('drift', () => {
  test.each([
    [String(NOW_MS - 6000), 6000],
    [String(NOW_MS + 6000), -6000],
    [String(NOW_MS / 1000), 0],
    ['1767225590.5', 9500],
    ['', null],
    ['soon', null],
    ['0', null],
    ['-5', null],
    ['9'.repeat(30), null],
    ['1e300', null],
  ])('now=%s', (now, driftMs) => {
    expect(driftOf(now, NOW_MS)).toBe(driftMs)
  })
})
