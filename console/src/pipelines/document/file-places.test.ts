import { expect, test } from 'vitest'
import * as yaml from 'yaml'
import { placedFindings } from './file-places.ts'

const YAML = `weir: pipeline/1
title: Shop
sources:
  - &first
    name: lines
    type: http
    nonsense: 1
  - *first
processors:
  - name: calm
    inputs: [lines, nowhere]
    config:
      threshold: -1
      "a/b": 2
`

function found(text: string, place: string, message = 'must be right'): string {
  const [finding] = placedFindings(yaml, text, [{ place, message }])
  return `${finding?.line}: ${text.slice(finding?.from, finding?.to)}`
}

test.each([
  ['processors/0/config/threshold', '13: threshold: -1'],
  ['processors/0/config', '12: config:'],
  ['processors/0/config/window_ms', '12: config:'],
  ['processors/0/inputs/1', '11: nowhere]'],
  ['processors/0/config/a~1b', '14: "a/b": 2'],
  ['sources/1/type', '6: type: http'],
  ['processors/7/name', '9: processors:'],
  ['', '1: weir: pipeline/1'],
])('the place %s of YAML is line %s', (place, line) => {
  expect(found(YAML, place)).toBe(line)
})

test('a member that is too much, and a line that the server names, have their places', () => {
  expect(found(YAML, 'sources/0', "must NOT have additional properties: 'nonsense'")).toBe('7: nonsense: 1')
  const near = `must NOT have additional properties: "nonsense" is not a setting of sources; did you mean "sense"?`
  expect(found(YAML, 'sources/0', near)).toBe('7: nonsense: 1')
  expect(found('a: 1\n  b: 2\n', '', 'must be YAML: Nested mappings (line 2)')).toBe('2: b: 2')
  expect(found('', '', 'must be object')).toBe('1: ')
  expect(found('a: 1', '', 'must be YAML: it ends early (line 9)')).toBe('1: ')
})

test('JSON has its places, too, and findings stand in the order of the text', () => {
  const json = JSON.stringify({ weir: 'pipeline/1', sources: [{ name: 'a', type: 7 }] }, null, 2)
  const findings = [
    { place: 'sources/0/type', message: 'must be string' },
    { place: 'weir', message: 'must be another' },
  ]
  expect(placedFindings(yaml, json, findings).map(({ line, message }) => [line, message])).toEqual([
    [2, 'weir: must be another'],
    [6, 'sources/0/type: must be string'],
  ])
})
