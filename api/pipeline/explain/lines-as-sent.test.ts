import { expect, test } from 'vitest'
import { Event } from '../../../engine/event/event.ts'
import { LineBatchView } from '../../../engine/lines/columns/line-batch-view.ts'
import { parseQuery } from '../../../engine/query-language/parse-query.ts'
import { lineBatchValue, pushedEvents } from '../../../test/support/line-batches.ts'
import { matchesAsSent } from './lines-as-sent.ts'

const finds = (event: Event, query: string) => matchesAsSent(parseQuery(query), event)

test('a line is found by its text, the members of its JSON and the values that were sent with it', () => {
  const lines = [{ line: '{"code":504,"text":"a timeout"}', app: 'api', host: 'db-1', level: 'warn' }]
  const event = Event.ofLine(LineBatchView.decode(lineBatchValue([{ lines }])), 0)
  for (const query of ['timeout', 'code:>=500', 'code:504 app:api', 'host:db-1', 'level:warn'])
    expect([query, finds(event, query)]).toEqual([query, true])
  for (const query of ['absent', 'code:<500', 'app:db', 'host:web', '-timeout'])
    expect([query, finds(event, query)]).toEqual([query, false])
})

test('an event of a gateway route is found by its message, and not by the metadata of its request', () => {
  const [member, text] = pushedEvents([{ number: 7, door: 'north' }, 'a plain text'], {
    query: { site: 'oslo' },
  }) as [Event, Event]
  for (const query of ['number:7', 'door:north', 'north'])
    expect([query, finds(member, query), finds(text, query)]).toEqual([query, true, false])
  expect([finds(text, 'plain'), finds(member, 'plain')]).toEqual([true, false])
  // A text becomes a line as it is, and not as the JSON in which the log has it.
  const [json, tabbed] = pushedEvents(['{"number":7}', 'tab\there']) as [Event, Event]
  expect([finds(json, 'number:7'), finds(tabbed, 'here'), finds(tabbed, 'there')]).toEqual([
    true,
    true,
    false,
  ])
  for (const query of ['oslo', 'host:oslo', 'site'])
    expect([query, finds(member, query)]).toEqual([query, false])
})

test('an event that no line is behind is not found', () => {
  expect(finds(Event.of({ line: 'a timeout' }, {}, ''), 'timeout')).toBe(false)
})
