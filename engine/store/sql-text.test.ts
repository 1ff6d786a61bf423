import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindParameters, textLiteral } from './sql-text.ts'

describe('a text as a literal', () => {
  test('contains only harmless characters and hexadecimal escapes, which give the text again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const literal = textLiteral(text)
        expect(literal).toMatch(/^'(?:[A-Za-z0-9 _.:/-]|\\x[0-9a-f]{2})*'$/)
        const bytes = literal
          .slice(1, -1)
          .replace(/\\x(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
        expect(Buffer.from(bytes, 'latin1')).toEqual(Buffer.from(text))
      }),
    )
  })
})

describe('binding parameters', () => {
  test('replaces each parameter wherever it occurs', () => {
    const sql = 'SELECT {a:String}, { b : UInt64 }, {a:String}'
    expect(bindParameters({ sql, parameters: { a: 'x', b: 7 } })).toBe("SELECT 'x', CAST('7', 'UInt64'), 'x'")
  })

  test('does not change texts, quoted names and comments', () => {
    const sql =
      "SELECT '{a:String}', 'it\\'s {a:String}', `{a:String}`, \"{a:String}\" -- {a:String}\n/* {a:String} */"
    expect(bindParameters({ sql, parameters: { a: 'x' } })).toBe(sql)
  })

  test('never treats a value as a parameter', () => {
    const sql = 'SELECT {a:String}, {b:String}'
    const bound = bindParameters({ sql, parameters: { a: '{b:String}', b: 'x' } })
    expect(bound).toBe("SELECT '\\x7bb:String\\x7d', 'x'")
  })

  test('supports types with arguments, lists and null', () => {
    const sql = "{t:DateTime64(3, 'UTC')} {l:Array(Nullable(String))}"
    expect(bindParameters({ sql, parameters: { t: '2026-01-02 00:00:00', l: ['a', null] } })).toBe(
      "CAST('2026-01-02 00:00:00', 'DateTime64\\x283\\x2c \\x27UTC\\x27\\x29') CAST(['a', NULL], 'Array\\x28Nullable\\x28String\\x29\\x29')",
    )
  })

  test('refuses a missing parameter, or an object', () => {
    expect(() => bindParameters({ sql: '{a:String}' })).toThrow('parameter a is not given')
    expect(() => bindParameters({ sql: '{a:String}', parameters: { a: {} } })).toThrow(TypeError)
  })
})
