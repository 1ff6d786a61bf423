import { expect, test } from 'vitest'
import type { ViewRecord } from '../api/views.ts'
import { byCategory, changedView, differs, newView } from './view-state.ts'

const view: ViewRecord = {
  viewid: 'v1',
  account: 'a',
  name: 'Errors',
  query: 'level:error',
  hosts: [],
  apps: ['web', 'db'],
  tags: [],
  levels: [],
  category: ['Team'],
  presetids: [],
  channels: [
    {
      integration: 'email',
      alertid: 'x',
      operator: 'presence',
      triggerlimit: 5,
      triggerinterval: '30',
      immediate: false,
      terminal: true,
      emails: ['a@b.c'],
    },
  ],
  orgs: [],
}
const search = { query: 'level:error', lists: { hosts: [], apps: ['db', 'web'], levels: [], tags: [] } }

test('a view differs when it finds other lines, whatever the order of its names', () => {
  expect(differs(view, search)).toBe(false)
  expect(differs(view, { ...search, query: 'level:warn' })).toBe(true)
  expect(differs(view, { ...search, lists: { ...search.lists, apps: ['web'] } })).toBe(true)
})

test('a replaced view keeps its name, categories and alerts', () => {
  const changed = changedView(view, { search: { ...search, query: 'x' } })
  expect(changed).toMatchObject({ name: 'Errors', query: 'x', apps: ['db', 'web'], category: ['Team'] })
  expect(changed.channels).toEqual([expect.objectContaining({ emails: ['a@b.c'], triggerlimit: 5 })])
  expect(changed.channels?.[0]).not.toHaveProperty('alertid')
})

test('a view with a preset alert keeps that, and sends no channels of its own', () => {
  const changed = changedView({ ...view, presetids: ['p1'] }, { name: 'Other' })
  expect(changed).toMatchObject({ name: 'Other', query: 'level:error', presetid: 'p1' })
  expect(changed).not.toHaveProperty('channels')
})

test('a new view has the search, and a category only where one was typed', () => {
  expect(newView('A', ' ', search)).toMatchObject({ name: 'A', query: 'level:error', category: [] })
})

test('views are listed by category, and those without one come last', () => {
  const others = [
    { ...view, viewid: 'v2', name: 'B', category: [] },
    { ...view, viewid: 'v3', name: 'A' },
  ]
  const listed = byCategory([view, ...others]).map(({ category, views }) => [
    category,
    ...views.map(({ name }) => name),
  ])
  expect(listed).toEqual([
    ['Team', 'A', 'Errors'],
    ['', 'B'],
  ])
})
