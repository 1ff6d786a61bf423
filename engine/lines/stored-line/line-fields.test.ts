import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { addFieldsBelow, addParsedFields, FieldNames } from './line-fields.ts'
import { displayText, OWN_MEMBERS, recordName } from './line-members.ts'
import { parseTextObject } from './parsed-line.ts'
import type { StoredLine } from './stored-line.ts'
import { newStoredLine } from './stored-line.ts'

type Fields = readonly (readonly [name: string, value: string | number])[]

function fieldsOf(line: StoredLine): Fields {
  const texts = line.textFieldNames.slice(0, line.textFieldCount)
  const numbers = line.numberFieldNames.slice(0, line.numberFieldCount)
  return [
    ...texts.map((name, index) => [name, line.textFieldValues[index] as string] as const),
    ...numbers.map((name, index) => [name, line.numberFieldValues[index] as number] as const),
  ]
}

function parsedFields(text: string, own = 0, names = new FieldNames()): Fields {
  const line = newStoredLine()
  names.beginLine(0)
  addParsedFields(line, parseTextObject(text) as JsonObject, own, names)
  return fieldsOf(line)
}

describe('fields of a JSON line', () => {
  test.each<[string, string, Fields]>([
    ['a string is a text', '{"a":"x"}', [['a', 'x']]],
    [
      'a number is a number',
      '{"a":1.5,"b":-0}',
      [
        ['a', 1.5],
        ['b', -0],
      ],
    ],
    [
      'words are texts',
      '{"a":true,"b":false}',
      [
        ['a', 'true'],
        ['b', 'false'],
      ],
    ],
    ['null is nothing', '{"a":null}', []],
    ['an empty object is a text', '{"a":{}}', [['a', '{}']]],
    ['an empty array is a text', '{"a":[]}', [['a', '[]']]],
    ['nested members have dotted paths', '{"a":{"b":{"c":"x"}}}', [['a.b.c', 'x']]],
    ['the fourth level is JSON text', '{"a":{"b":{"c":{"d":1,"e":[2]}}}}', [['a.b.c', '{"d":1,"e":[2]}']]],
    [
      'an array gives an entry per element',
      '{"a":["x",2,null,true]}',
      [
        ['a', 'x'],
        ['a', 'true'],
        ['a', 2],
      ],
    ],
    [
      'objects in an array repeat their paths',
      '{"a":[{"b":1},{"b":2,"c":"x"}]}',
      [
        ['a.c', 'x'],
        ['a.b', 1],
        ['a.b', 2],
      ],
    ],
    [
      'an array in an array is more elements',
      '{"a":[[1,[2]],[]]}',
      [
        ['a', '[]'],
        ['a', 1],
        ['a', 2],
      ],
    ],
    [
      'colliding names get an underscore',
      '{"status":404,"user":{"id":"u"}}',
      [
        ['_user.id', 'u'],
        ['_status', 404],
      ],
    ],
    ['only root names collide', '{"a":{"status":1}}', [['a.status', 1]]],
    [
      'both spellings are kept apart',
      '{"status":1,"_status":2}',
      [
        ['__status', 1],
        ['_status', 2],
      ],
    ],
    ['a level is not a field', '{"level":"warn"}', []],
    [
      'a level that says nothing goes by another name',
      '{"level":{"name":"warn"}}',
      [['_level.name', 'warn']],
    ],
    ['message is the text for display', '{"message":"hi"}', [['message', 'hi']]],
    [
      'msg is shown where message is missing',
      '{"msg":"hi"}',
      [
        ['msg', 'hi'],
        ['message', 'hi'],
      ],
    ],
    [
      'a message of another kind goes by another name',
      '{"message":{"a":1},"msg":"hi"}',
      [
        ['msg', 'hi'],
        ['message', 'hi'],
        ['_message.a', 1],
      ],
    ],
    ['what the service says is not replaced', '{"_app":"x","_id":1,"_account":"y","_retention":9}', []],
    ['other underscored members are fields', '{"_x":1}', [['_x', 1]]],
    [
      'a prototype is a name like others',
      '{"__proto__":{"a":1},"constructor":"c"}',
      [
        ['constructor', 'c'],
        ['__proto__.a', 1],
      ],
    ],
    [
      'an empty key is a name',
      '{"":1,"a":{"":2}}',
      [
        ['', 1],
        ['a.', 2],
      ],
    ],
  ])('%s', (_rule, text, fields) => {
    expect(parsedFields(text)).toEqual(fields)
  })

  test('an integer beyond doubles is a text with all its digits, and a number', () => {
    expect(parsedFields('{"a":12345678901234567890}')).toEqual([
      ['a', '12345678901234567890'],
      ['a', Number(12345678901234567890n)],
    ])
  })

  test('a number beyond the range of doubles is a text, and no number', () => {
    expect(parsedFields('{"a":[1,1e400],"b":{"c":{"d":{"x":-1E999,"7":1}}}}')).toEqual([
      ['a', '1e400'],
      ['b.c.d', '{"x":-1E999,"7":1}'],
      ['a', 1],
    ])
  })

  test('a member of the service takes precedence only where the service sets it', () => {
    expect(parsedFields('{"tag":"x","_env":"y"}', OWN_MEMBERS._tag | OWN_MEMBERS._env)).toEqual([])
    expect(parsedFields('{"tag":"x","_env":"y"}')).toEqual([
      ['_tag', 'x'],
      ['_env', 'y'],
    ])
  })

  test('a name beyond the 500 of the day is not indexed, while the other fields of the line are', () => {
    const names = new FieldNames()
    const many = Object.fromEntries(Array.from({ length: 499 }, (_, index) => [`k${index}`, 1]))
    parsedFields(JSON.stringify(many), 0, names)
    expect(parsedFields('{"k0":1,"new":"a","newer":"b","k1":2}', 0, names)).toEqual([
      ['new', 'a'],
      ['k0', 1],
      ['k1', 2],
    ])
  })

  test('below meta the depth is counted from meta', () => {
    const line = newStoredLine()
    addFieldsBelow(line, '_meta', { a: { b: { c: 'x', d: { e: 1 } } }, status: 'ok' }, new FieldNames())
    expect(fieldsOf(line)).toEqual([
      ['_meta.a.b.c', 'x'],
      ['_meta.a.b.d', '{"e":1}'],
      ['_meta.status', 'ok'],
    ])
  })
})

test('every name of the public list gets an underscore', () => {
  const colliding =
    'source type tag auth bytes connect method namespace path pod request response service space status timestamp user'
  for (const key of colliding.split(' ')) expect(recordName(key, { [key]: 1 }, 0)).toBe(`_${key}`)
  expect(recordName('host', { host: 1 }, 0)).toBe('host')
})

test('the text for display is a string or nothing', () => {
  expect(displayText({ message: '' })).toBe('')
  expect(displayText({ message: 'a', msg: 'b' })).toBe('a')
  expect(displayText({ message: 1, msg: 'b' })).toBe('b')
  expect(displayText({ message: 1, msg: 2 })).toBeUndefined()
})
