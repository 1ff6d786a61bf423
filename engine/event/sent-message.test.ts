import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { BEHAVIOUR, FIRST_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { pushedEvents } from '../../test/support/pushed-events.ts'
import type { Event } from './event.ts'

const TEXTS = [
  '{"app":"shop","n":12,"big":12345678901234567890,"t":"a\\nb","é":1,"o":{"7":1,"a":[true,null]}}',
  ' {"app" : "x" , "n" : 1.50 } ',
  '{"app":1,"app":"last"}',
  '{"\\u0061pp":"spelt"}',
  '{"__proto__":{"a":1},"n":1e400}',
  '{}',
  '["app"]',
  '"text with \\"quotes\\""',
  '12.0',
  'null',
  `{${Array.from({ length: 200 }, (_, key) => `"app${key}":${key}`).join(',')},"app":"many"}`,
]
const KEYS = ['app', 'n', 'big', 't', 'é', 'o', '__proto__', 'app199', 'none', 'constructor', '0']

test.each([FIRST_BEHAVIOUR, BEHAVIOUR])(
  'members and size are those of the parsed message in behaviour %i',
  behaviour => {
    const read = pushedEvents(TEXTS, behaviour)
    for (const [index, parsed] of pushedEvents(TEXTS, behaviour).entries()) {
      const { message } = parsed
      const event = read[index] as Event
      for (const key of KEYS) {
        const member = (of: JsonValue) =>
          typeof of === 'object' && of !== null && !Array.isArray(of) && Object.hasOwn(of, key)
            ? (of as Record<string, JsonValue>)[key]
            : undefined
        expect([key, event.member(key)]).toEqual([key, member(message)])
      }
      expect([TEXTS[index], event.bytes]).toEqual([TEXTS[index], parsed.bytes])
      expect(event.message).toEqual(message)
    }
  },
)

test('events of a batch are read in any order, each from its own text', () => {
  const events = pushedEvents(Array.from({ length: 300 }, (_, n) => `{"n":${n},"text":"${'x'.repeat(n)}"}`))
  for (const n of [299, 0, 150, 0, 299, 1])
    expect([events[n]?.member('n'), events[n]?.bytes]).toEqual([n, `{"n":${n},"text":""}`.length + n])
})

test('events of several batches are read in turns', () => {
  const [first = [], second = []] = ['a', 'b'].map(name =>
    pushedEvents(Array.from({ length: 50 + name.length }, (_, n) => `{"name":"${name}","n":${n}}`)),
  )
  for (let n = 0; n < 50; n++) {
    expect([first[n]?.member('name'), second[n]?.member('name')]).toEqual(['a', 'b'])
    expect([first[n]?.member('n'), second[n]?.member('n')]).toEqual([n, n])
  }
})
