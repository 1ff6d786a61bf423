import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../../schemas/json.ts'
import { parseJson } from '../../../json/json-text.ts'
import { finish } from '../../../steps.ts'
import { decodingMessages, type HttpDecoding } from './http-decoding.ts'

const LIMIT_BYTES = 20_971_520

const decodedMessages = (
  body: Uint8Array,
  decoding: HttpDecoding,
  limitBytes: number,
  eventLimitBytes = limitBytes,
) => finish(decodingMessages({ body, limitBytes, eventLimitBytes }, decoding))

const messages = (body: string | Buffer, decoding: HttpDecoding): JsonValue[] => {
  const decoded = decodedMessages(Buffer.from(body), decoding, LIMIT_BYTES)
  if (!Array.isArray(decoded)) throw new Error(JSON.stringify(decoded))
  return decoded.map(parseJson)
}

const refusal = (body: string, decoding: HttpDecoding): [code: string, field: string | null] => {
  const decoded = decodedMessages(Buffer.from(body), decoding, LIMIT_BYTES)
  if (!('refusal' in decoded)) throw new Error('it was taken')
  return [decoded.refusal.code, decoded.refusal.field]
}

describe('auto uses the first form that fits', () => {
  test.each<[string, string, JsonValue[]]>([
    ['an array, one event per element', '[{"a":1},2]', [{ a: 1 }, 2]],
    ['an array within an array is one event', '[[1,2],[]]', [[1, 2], []]],
    ['an object', ' {"a":1}\n', [{ a: 1 }]],
    ['lines of JSON', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['an array on a line is not entered', '[1,2]\n[3]', [[1, 2], [3]]],
    ['lines that are no JSON', 'door=7 open\ndoor=8', ['door=7 open', 'door=8']],
    ['a scalar', '"x"', ['x']],
    ['what only begins as a scalar', '12 loaves', ['12 loaves']],
    ['two objects on a line are neither', '{"a":1}{"a":2}', ['{"a":1}{"a":2}']],
    ['one line that is no JSON among others', '{"a":1}\nnope', ['{"a":1}', 'nope']],
    ['an empty list', '[]', []],
  ])('%s', (_name, body, expected) => {
    expect(messages(body, 'auto')).toEqual(expected)
  })
})

describe('auto of a body that is said to be JSON', () => {
  const decoded = (body: string) => {
    const limits = { limitBytes: LIMIT_BYTES, eventLimitBytes: LIMIT_BYTES }
    return finish(decodingMessages({ body: Buffer.from(body), ...limits }, 'auto', true))
  }

  test.each(['{"a":1}', '[{"a":1},2]', '{"a":1}\n{"a":2}\n', '"x"', '', ' \n'])('accepts %j', body => {
    const taken = decoded(body)
    expect(Array.isArray(taken) && taken.map(parseJson)).toEqual(messages(body, 'auto'))
  })

  test.each(['{"a":1', '{"a":1}{"a":2}', '{"a":1}\nnope', 'door=7 open', "{'a':1}"])('refuses %j', body => {
    expect(decoded(body)).toEqual({
      refusal: {
        code: 'E_EVENT_NOT_JSON',
        field: null,
        message: expect.stringContaining('neither one JSON text nor one on each line'),
      },
    })
    expect(messages(body, 'auto').every(message => typeof message === 'string')).toBe(true)
  })
})

test.each<HttpDecoding>(['bytes', 'text', 'json', 'ndjson', 'auto'])(
  'an empty or blank body contains no events: %s',
  decoding => {
    expect(messages('', decoding)).toEqual([])
    expect(messages(' \r\n\t\n', decoding)).toEqual([])
  },
)

describe('bytes', () => {
  test('a line is an event, without its line end, and blank lines are ignored', () => {
    expect(messages('a\r\n\n  \nb \r\r\n{"a":1}', 'bytes')).toEqual(['a', 'b \r', '{"a":1}'])
    expect(messages('a\n', 'text')).toEqual(['a'])
  })

  test('invalid UTF-8 is replaced, and a byte order mark is not part of the text', () => {
    expect(messages(Buffer.from([0x61, 0xff, 0xc3, 0x62]), 'bytes')).toEqual(['a\ufffd\ufffdb'])
    expect(messages('\ufeff{"a":1}', 'json')).toEqual([{ a: 1 }])
  })
})

describe('json', () => {
  test('only white space is allowed around it', () => {
    expect(messages('\t[1]\r\n', 'json')).toEqual([1])
    expect(refusal('{"a":1}\n{"a":2}', 'json')).toEqual(['E_EVENT_NOT_JSON', null])
    expect(refusal('\u00a0[1]', 'json')).toEqual(['E_EVENT_NOT_JSON', null])
  })

  test('of duplicate keys the last wins', () => {
    expect(messages('{"a":1,"a":2}', 'json')).toEqual([{ a: 2 }])
  })

  test('numbers keep their digits, alone and in a list', () => {
    const digits = '12345678901234567890'
    expect(messages(digits, 'json')).toEqual([12345678901234567890n])
    expect(messages(`[${digits},1e20,-0.5,{"a":${digits}}]`, 'json')).toEqual([
      12345678901234567890n,
      1e20,
      -0.5,
      { a: 12345678901234567890n },
    ])
    expect(decodedMessages(Buffer.from('[1e400,{"a":-1E+999}]'), 'json', 1_000_000)).toEqual([
      '1e400',
      '{"a":-1E+999}',
    ])
  })

  test('a number with very many digits is accepted unchanged', () => {
    const digits = '9'.repeat(1_900_000)
    const taken = decodedMessages(
      Buffer.from(`[${digits},{"n":-${digits}}]`),
      'json',
      LIMIT_BYTES + 4_000_000,
    )
    if (!Array.isArray(taken)) throw new Error('it was not taken')
    expect(taken.map((text, index) => text === [digits, `{"n":-${digits}}`][index])).toEqual([true, true])
  })

  test('a member named __proto__ is a member', () => {
    expect(decodedMessages(Buffer.from('[{"__proto__":1}]'), 'json', LIMIT_BYTES)).toEqual([
      '{"__proto__":1}',
    ])
  })

  test('200 levels are JSON, 201 are not', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(messages(nested(200), 'json')).toHaveLength(1)
    expect(refusal(nested(201), 'json')).toEqual(['E_EVENT_NOT_JSON', null])
    expect(messages(nested(201), 'auto')).toEqual([nested(201)])
    // Nested so deeply that a parse that checks every number would run out of stack.
    expect(refusal(nested(200_000).replace('[]', '[12345678901234567890]'), 'json')[0]).toBe(
      'E_EVENT_NOT_JSON',
    )
    expect(messages(`"${'['.repeat(400)}"`, 'json')).toEqual(['['.repeat(400)])
  })
})

test.each<[string, HttpDecoding, (deep: string) => string, string]>([
  ['alone', 'json', deep => deep, 'The body'],
  ['in an array', 'json', deep => `[1,${deep.slice(1, -1)}]`, 'The body'],
  ['as a member', 'json', deep => `{"a":${deep.slice(1, -1)}}`, 'The body'],
  ['on a line', 'ndjson', deep => `{"a":1}\n\n${deep}\nnope`, 'Line 3 of the body'],
  ['alone, said to be JSON', 'auto', deep => ` ${deep}\n`, 'The body'],
  ['over several lines, said to be JSON', 'auto', deep => deep.replaceAll('[', '[\n'), 'The body'],
  ['on a line, said to be JSON', 'auto', deep => `{"a":1}\n${deep}`, 'Line 2 of the body'],
])(
  'an event that is nested too deeply is refused with the bound: %s, %s',
  (_where, decoding, body, place) => {
    const sentence = (levels: number) => {
      const sent = Buffer.from(body('['.repeat(levels) + ']'.repeat(levels)))
      const limits = { limitBytes: LIMIT_BYTES, eventLimitBytes: LIMIT_BYTES }
      const decoded = finish(decodingMessages({ body: sent, ...limits }, decoding, true))
      return 'refusal' in decoded ? decoded.refusal.message : decoded
    }
    for (const levels of [201, 5_000])
      expect(sentence(levels)).toBe(`${place} is nested more than 200 levels deep`)
    // Its last line is not JSON.
    if (decoding === 'ndjson') expect(sentence(200)).toBe('Line 4 of the body is not one JSON text')
    else expect(sentence(200)).toBeInstanceOf(Array)
  },
)

describe('ndjson', () => {
  test('each line is one event', () => {
    expect(messages('{"a":1}\r\n\n [1,2] \n"x"\n', 'ndjson')).toEqual([{ a: 1 }, [1, 2], 'x'])
  })

  test('the first line that is not JSON is named, and blank lines count', () => {
    expect(refusal('{"a":1}\nnope', 'ndjson')).toEqual(['E_EVENT_NOT_NDJSON', '2'])
    expect(refusal('\n\n{"a":1}{"a":2}\nnope', 'ndjson')).toEqual(['E_EVENT_NOT_NDJSON', '3'])
  })
})

describe('events of a few bytes', () => {
  const limit = 650_000
  const most = 10_000

  test.each(['1', '{}', '""', 'null', '{"a":1}'])(
    'as %s are accepted as if each had 64 bytes, and no more',
    event => {
      const list = (count: number) => `[${Array(count).fill(event).join(',')}]`
      const lines = (count: number) => `${event}\n`.repeat(count)
      for (const body of [list, lines])
        for (const decoding of [body === list ? 'json' : 'ndjson', 'auto'] as const) {
          expect(decodedMessages(Buffer.from(body(most - 2)), decoding, limit)).toHaveLength(most - 2)
          expect(decodedMessages(Buffer.from(body(most + 2)), decoding, limit)).toEqual({ isTooMany: true })
        }
    },
  )

  test('that are lines of a text are counted in the same way', () => {
    for (const decoding of ['bytes', 'text', 'auto'] as const)
      expect(decodedMessages(Buffer.from('a\n'.repeat(10_000)), decoding, 600_000)).toEqual({
        isTooMany: true,
      })
    expect(decodedMessages(Buffer.from('a\n'.repeat(9_000)), 'auto', 600_000)).toHaveLength(9_000)
  })

  test('count the same number of bytes, whatever their characters are', () => {
    const event = `"${'€'.repeat(21)}"` // 23 characters, 65 bytes
    expect(
      decodedMessages(Buffer.from(`[${Array(1_000).fill(event).join(',')}]`), 'json', 66_001),
    ).toHaveLength(1_000)
  })
})

describe('events with very many members, which made all other work wait', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"${index}":0`).join(',')
  const eventLimit = 100_000
  const outcome = (body: string, decoding: HttpDecoding, limit = LIMIT_BYTES) => {
    const decoded = decodedMessages(Buffer.from(body), decoding, limit, eventLimit)
    return Array.isArray(decoded) ? decoded.length : decoded
  }
  const forms: [string, HttpDecoding, (event: string, count: number) => string][] = [
    ['an array', 'json', (event, count) => `[${Array(count).fill(event).join(',')}]`],
    ['an array', 'auto', (event, count) => `[${Array(count).fill(event).join(' , ')}]`],
    ['lines', 'ndjson', (event, count) => `${event}\n`.repeat(count)],
    ['lines', 'auto', (event, count) => `${event}\n`.repeat(count)],
  ]

  test.each(forms)(
    '%s, %s: each member beyond a thousand counts as 256 bytes of its event',
    (_of, decoding, body) => {
      const event = (further: number) => `{${members(999 + further)}}`
      let most = 100
      while (event(most + 1).length + 256 * (most + 1) <= eventLimit) most++
      expect(outcome(body(event(most), 2), decoding)).toBe(2)
      expect(outcome(body(event(most + 1), 2), decoding)).toEqual({ isTooMany: true })
      expect(outcome(body(`{"a":[{"b":{${members(3_000)}}}]}`, 1), decoding)).toEqual({ isTooMany: true })
    },
  )

  test.each(forms)('%s, %s: and of the body', (_of, decoding, body) => {
    const event = `{${members(1_199)}}`
    const limit = 10 * (event.length + 3 + 200 * 256)
    expect(outcome(body(event, 9), decoding, limit)).toBe(9)
    expect(outcome(body(event, 11), decoding, limit)).toEqual({ isTooMany: true })
  })

  test.each(forms)('%s, %s: a thousand of each event are free', (_of, decoding, body) => {
    const sent = body(`{${members(999)}}`, 50)
    expect(outcome(sent, decoding, sent.length)).toBe(50)
  })

  test('a list of a hundred thousand numbers has one part', () => {
    expect(decodedMessages(Buffer.from(`[[${'1,'.repeat(100_000)}1]]`), 'json', 300_000)).toHaveLength(1)
  })
})

describe('an event larger than an event may be', () => {
  const text = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`
  const outcome = (body: string, decoding: HttpDecoding) => {
    const decoded = decodedMessages(Buffer.from(body), decoding, LIMIT_BYTES, 10_000)
    return Array.isArray(decoded) ? decoded.length : decoded
  }

  test.each<[string, HttpDecoding, (event: string) => string]>([
    ['alone', 'json', event => event],
    ['alone', 'auto', event => ` ${event} `],
    ['in an array', 'json', event => `[1,${event}]`],
    ['in an array', 'auto', event => `[${event} , ${event}]`],
    ['on a line', 'ndjson', event => `1\n${event}\n`],
    ['on a line', 'auto', event => `1\n${event}\n`],
    ['as a text', 'bytes', event => `1\n${event}\n`],
  ])('%s, %s', (_where, decoding, body) => {
    expect(outcome(body(text(10_000)), decoding)).toBeGreaterThan(0)
    expect(outcome(body(text(10_001)), decoding)).toEqual({ isTooMany: true })
    expect(outcome(body(text(100_000)), decoding)).toEqual({ isTooMany: true })
    expect(outcome(body(text(100_000).slice(0, -1)), decoding)).toEqual({ isTooMany: true })
  })

  test('is damaged if it is damaged before its limit', () => {
    const damaged = `{"a" 1,"b":"${'x'.repeat(100_000)}"}`
    expect(outcome(damaged, 'json')).toHaveProperty('refusal')
    expect(outcome(`[${damaged}]`, 'json')).toHaveProperty('refusal')
    expect(outcome(damaged, 'ndjson')).toHaveProperty('refusal')
  })

  test('blanks around it do not count', () => {
    const blanks = ' '.repeat(30_000)
    expect(outcome(`${blanks}[${blanks}1${blanks},${blanks}${text(9_000)}${blanks}]${blanks}`, 'json')).toBe(
      2,
    )
    expect(outcome(`${blanks}{}${blanks}`, 'json')).toBe(1)
    expect(outcome(`${blanks}{}${blanks}\n${blanks}\n`, 'ndjson')).toBe(1)
  })
})

describe('a body', () => {
  test('is decoded in steps of a few kilobytes', () => {
    const stepsOf = (body: string, decoding: HttpDecoding) => {
      const limits = { limitBytes: LIMIT_BYTES, eventLimitBytes: LIMIT_BYTES }
      return [...decodingMessages({ body: Buffer.from(body), ...limits }, decoding)].length
    }
    const event = `{"a":"${'x'.repeat(90)}"}`
    for (const decoding of ['json', 'auto'] as const)
      expect(stepsOf(`[${Array(10_000).fill(event).join(',')}]`, decoding)).toBeGreaterThan(50)
    for (const decoding of ['ndjson', 'auto', 'bytes'] as const)
      expect(stepsOf(`${event}\n`.repeat(10_000), decoding)).toBeGreaterThan(50)
    expect(stepsOf('\r\n'.repeat(500_000), 'ndjson')).toBeGreaterThan(50)
  })

  test('that is not UTF-8 is the same in pieces', () => {
    const bytes = Buffer.from('é€😀'.repeat(40_000))
    for (const cut of [1, 2, 4, 7]) {
      const body = Buffer.concat([Buffer.from('\ufeff'), bytes.subarray(cut), Buffer.from([0xc3])])
      const text = new TextDecoder().decode(body)
      expect(decodedMessages(body, 'bytes', LIMIT_BYTES)).toEqual([JSON.stringify(text)])
    }
  })
})
