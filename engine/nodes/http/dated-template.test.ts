import { expect, test } from 'vitest'
import { Event } from '../../event/event.ts'
import { compileDatedTemplate, datedTemplateProblems } from './dated-template.ts'
import { instantOfEvent, nanosecondText, secondText } from './event-time.ts'

const event = Event.of({ app: 'web-%Y', none: null }, {}, '2031-03-09T23:15:30.250001Z')

test.each([
  ['logs', 'logs'],
  ['logs-%Y.%m.%d', 'logs-2031.03.09'],
  ['{{ .app }}-%Y.%m', 'web-%Y-2031.03'],
  ['%H/{{ .none }}/%M', '23//15'],
  ['100%%', '100%'],
  ['{{ .missing }}-%Y', undefined],
])('%s renders to %s', (text, rendered) => {
  expect(compileDatedTemplate(text).render(event)).toBe(rendered)
  expect(datedTemplateProblems('/index', text)).toEqual([])
})

test('the missing path of a template is that of its references', () => {
  const template = compileDatedTemplate('%Y-{{ .app }}-{{ .missing }}')
  expect([template.missingPath(event), template.references, template.messageKeys]).toEqual([
    '.missing',
    2,
    ['app', 'missing'],
  ])
})

test('an unknown mark is found', () => {
  expect(datedTemplateProblems('/index', 'logs-%Q')).toEqual([
    { instancePath: '/index', message: 'must have known marks of time: it has no mark %Q' },
  ])
})

test.each([
  ['2031-03-09T08:15:30Z', '1930810530000000000', '1930810530.000'],
  ['2031-03-09T08:15:30.250Z', '1930810530250000000', '1930810530.250'],
  ['2031-03-09T08:15:30.250001Z', '1930810530250001000', '1930810530.250'],
  ['2031-03-09T08:15:30.250000001Z', '1930810530250000001', '1930810530.250'],
  ['1969-12-31T23:59:59.999999999Z', '-1', '-0.001'],
])('the time %s has %s nanoseconds and %s seconds', (timestamp, nanoseconds, seconds) => {
  const instant = instantOfEvent(Event.of('m', {}, timestamp))
  expect([nanosecondText(instant), secondText(instant)]).toEqual([nanoseconds, seconds])
})
