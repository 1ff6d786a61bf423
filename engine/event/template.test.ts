import { describe, expect, test } from 'vitest'
import { Event } from './event.ts'
import { compileTemplate, templateProblem } from './template.ts'

const EVENT = Event.of(
  {
    door: 'north-2',
    badge: 7781,
    open: true,
    note: null,
    big: 12345678901234567890n,
    'a}}b': 'braces',
    list: [1],
    object: {},
    empty: '',
  },
  { query: { site: 'oslo' } },
  '2031-03-09T08:15:30.250Z',
)

describe('a template', () => {
  test.each([
    ['gate {{.door}} at {{metadata.query.site}}', 'gate north-2 at oslo'],
    ['{{ .door }}', 'north-2'],
    ['{{.badge}}/{{.open}}', '7781/true'],
    ['[{{.note}}]', '[]'],
    ['{{.big}}', '12345678901234567890'],
    ['{{timestamp}}', '2031-03-09T08:15:30.250Z'],
    ['{{ ."a}}b" }}', 'braces'],
    ['{{.list[0]}}', '1'],
    ['no references', 'no references'],
    ['}} alone is text', '}} alone is text'],
    ['', ''],
    ['{{.empty}}', ''],
  ])('%j renders to %j', (text, rendered) => {
    const template = compileTemplate(text)
    expect(template.render(EVENT)).toBe(rendered)
    expect(template.missingPath(EVENT)).toBeUndefined()
  })

  test.each([
    ['{{.door}} {{.nope}}', '.nope'],
    ['{{.list}}', '.list'],
    ['{{.object}}', '.object'],
    ['{{metadata.nope}}', 'metadata.nope'],
  ])('%j does not render: %s is missing', (text, path) => {
    const template = compileTemplate(text)
    expect(template.render(EVENT)).toBeUndefined()
    expect(template.missingPath(EVENT)).toBe(path)
  })

  test.each(['{{', 'a {{.b', '{{.a} }', '{{ ."a }}'])('%j is refused: the braces do not match', text => {
    expect(templateProblem(text)).toContain('matching')
    expect(() => compileTemplate(text)).toThrow(RangeError)
  })

  test.each(['{{}}', '{{ not-a-path }}', '{{a}}', 'x {{.a}} {{..b}}'])(
    '%j is refused: it contains no valid field path',
    text => {
      expect(templateProblem(text)).toContain('Must be a valid data access syntax')
      expect(() => compileTemplate(text)).toThrow(RangeError)
    },
  )

  test('only whole keys of the message count as used', () => {
    expect(
      compileTemplate('{{.a}} {{.b.c}} {{metadata.d}} {{message.e}} {{.}} {{.[1]}}').messageKeys,
    ).toEqual(['a', 'e'])
  })
})
