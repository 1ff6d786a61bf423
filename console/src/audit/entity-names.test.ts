import { expect, test } from 'vitest'
import { entityName, namesInEvents, namesInTexts } from './entity-names.ts'
import type { AuditEvent } from './requests.ts'

const PIPELINE = '691b33d4-9100-4c89-8a7c-9941e0bfdd7b'
const REVISION = '5875a4d1-99f4-405e-8976-f07e731dd032'
const names = new Map([
  [PIPELINE, 'Calm'],
  ['a61e2582fd', 'Shop'],
])

const event = (members: Partial<AuditEvent>): AuditEvent => ({
  ...{ id: '1.0', at: '2026-01-01T00:00:00Z', action: 'created', kind: 'draft', entity: PIPELINE },
  ...{ name: null, changed: [], before: null, after: null },
  actor: { id: 's', type: 'user', email: 'a@b', name: null },
  ...members,
})

test.each([
  ['its own name', { name: 'first key', entity: REVISION }, 'first key'],
  ['the title of the pipeline with its id', {}, 'Calm'],
  ['the pipeline that it names', { entity: REVISION, after: { pipeline: PIPELINE } }, 'Calm'],
  ['the pipeline that it named', { entity: REVISION, before: { pipeline: PIPELINE } }, 'Calm'],
  ['the pipeline with which its id begins', { entity: `${PIPELINE}/node/default` }, 'Calm'],
  ['the company of its account', { kind: 'spread', entity: 'a61e2582fd' }, 'Shop'],
  ['the beginning of its id', { entity: REVISION, after: { pipeline: 'gone' } }, '5875a4d1…'],
  ['a short id', { entity: 'installation' }, 'installation'],
])('an entity is called by %s', (_, members, name) => {
  expect(entityName(event(members), names)).toBe(name)
})

test('a pipeline that was removed is called as in its newest change', () => {
  const events = [
    event({ kind: 'draft', name: 'Not a pipeline' }),
    event({ kind: 'pipeline', action: 'removed', name: 'New' }),
    event({ kind: 'pipeline', name: 'Old' }),
  ]
  expect(namesInEvents(events).get(PIPELINE)).toBe('New')
})

test('a person or key that acted, or that was made, is called by its name wherever its id stands', () => {
  const token = { kind: 'token', entity: '05543b9f', name: 'robot', after: { subjectId: REVISION } }
  const found = namesInEvents([event(token)])
  expect([...found]).toEqual([
    ['05543b9f', 'robot'],
    ['s', 'a@b'],
    [REVISION, 'robot'],
  ])
  expect(namesInTexts([`{ "by": "${REVISION}" }`, `["${PIPELINE}", "${REVISION}"]`], found)).toEqual([
    { id: REVISION, name: 'robot' },
  ])
})
