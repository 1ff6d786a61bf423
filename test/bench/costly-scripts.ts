import type { JsonObject } from '../../schemas/json.ts'

const MEMBERS = 700

/** Values that the scripts below work on. */
export const COSTLY_MESSAGE: JsonObject = {
  long: 'abcdefgh'.repeat(2_000),
  wide: 'aä😀ж'.repeat(4_000),
  same: 'a'.repeat(16_000),
  many: members(index => `key${index}`),
  indexes: members(index => String(MEMBERS - index)),
  manyText: JSON.stringify(members(index => `key${index}`)),
  integers: Array.from({ length: 20_000 }, (_, index) => index % 10),
  integersText: JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index % 10)),
  largeText: `[${Array(3_000).fill('9007199254740993').join(',')}]`,
  small: '{"a":1,"b":"x","c":[1,2,3],"d":{"e":null}}',
  time: '2031-03-09 09:15:30.123456789+01',
}

function members(key: (index: number) => string): JsonObject {
  return Object.fromEntries(Array.from({ length: MEMBERS }, (_, index) => [key(index), index]))
}

/** Repeats statements until the steps of an event are used up. @param before statements that are done once */
function endless(statements: string, before = ''): string {
  return `function f(msg) { ${before} let l = [1]; for (const x of l) { l.push(1); ${statements} } }`
}

/** Scripts that take all steps of an event, by the part of the language that they repeat. */
export const COSTLY_SCRIPTS: Readonly<Record<string, string>> = {
  'an empty loop': endless(''),
  'members of members': endless('let y = msg.a.b.c.d.e.f'),
  'a new member': endless('o[l.length.toString()] = 1', 'let o = {};'),
  'created parents': endless('let o; o.a.b.c.d.e.f = 1'),
  'a statement that does nothing': endless("msg.x = 1 + 'a'"),
  'an object': endless('let o = { a: 1, b: [2] }'),
  'a part of a text': endless("let y = 'abc'.slice(1)"),
  'a part of a long text with surrogates': endless('let y = msg.wide.slice(5, -10)'),
  'the length of a long text with surrogates': endless('let y = msg.wide.length'),
  'joined texts': endless("s = s + 'abcdefghijklmnop'; let y = s.charAt(3)", "let s = '';"),
  'upper case': endless('let y = msg.wide.toUpperCase()'),
  'a search that is slow in the runtime': endless(
    'let y = msg.same.indexOf(b)',
    "let b = 'b' + 'a'.repeat(4000);",
  ),
  'a beginning': endless('let y = msg.same.startsWith(b)', "let b = 'a'.repeat(4000);"),
  'a small parse': endless('let y = JSON.parse(msg.small)'),
  'a parse that fails': endless("let y = JSON.parse('{')"),
  'a parse of many members': endless('let y = JSON.parse(msg.manyText)'),
  'a parse of many numbers': endless('let y = JSON.parse(msg.integersText)'),
  'a parse of large numbers': endless('let y = JSON.parse(msg.largeText)'),
  'a print of many members': endless('let y = JSON.stringify(msg.many)'),
  'a print of indexes': endless('let y = JSON.stringify(msg.indexes)'),
  'a print of numbers': endless('let y = JSON.stringify(msg.integers)'),
  'the names of many members': endless('let y = Object.keys(msg.many)'),
  'many members as entries': endless('let y = Object.entries(msg.many)'),
  'a member among indexes': endless("let y = msg.indexes['77']"),
  'a large integer': endless('let y = b + b', "let b = parseInt('9'.repeat(300));"),
  'a time': endless('let y = new Date(msg.time)'),
  'a text that is not a time': endless("let y = new Date(msg.time + 'x')"),
  'a number as text': endless('let y = (0.1 + l.length / 7).toString()'),
}
