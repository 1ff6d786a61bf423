import { describe, expect, test } from 'vitest'
import {
  calledScript,
  messageAfter,
  problemOfScript,
  valueOfExpression,
} from '../../test/support/called-script.ts'
import { answerOf, type CountedWork } from '../expressions/counted-work.ts'
import { grokSteps } from '../expressions/grok/grok-size.ts'
import { compileScript } from './compile-script.ts'
import {
  HOLDS_ITSELF,
  MAX_STEPS,
  MAX_TEXT_LENGTH,
  MAX_VALUE_LEVELS,
  TOO_LONG_TEXT,
  TOO_MANY_BYTES,
  TOO_MANY_LEVELS,
  TOO_MANY_STEPS,
  TOO_MUCH_SEARCHED,
} from './script-run.ts'

/** Sentence about the limit that a body of statements exceeds; undefined: none. */
function failureOf(body: string, message = '{}'): string | undefined {
  return calledScript(`function f(msg, meta) {\n${body}\n}`, [message, '{}']).failure
}

const ENDLESS = 'let l = [1]; for (const x of l) { l.push(x) }'

test('the limits are those of the documentation', () => {
  const [steps, bytes, text, levels] = [TOO_MANY_STEPS, TOO_MANY_BYTES, TOO_LONG_TEXT, TOO_MANY_LEVELS]
  expect([steps, bytes, text, levels].map(({ message }) => message)).toEqual([
    'the script took more than 100,000 steps',
    'the script made values of more than 8 MiB',
    'the script made a text of more than 1 MiB',
    'the script made a value that is nested more than 200 levels deep',
  ])
})

describe('steps', () => {
  test('a loop over an array that grows ends at the same step every time', () => {
    const runs = [1, 2, 3].map(() => calledScript(`function f() { ${ENDLESS} }`))
    for (const { failure, steps } of runs) {
      expect(failure).toBe(TOO_MANY_STEPS.message)
      expect(steps).toBe(runs[0]?.steps)
      expect(steps).toBeLessThanOrEqual(MAX_STEPS)
    }
  })

  test('a call may take exactly as many steps as it is given, and not one less', () => {
    const script =
      "function f(msg) { msg.a = 'x'.repeat(1000); for (const x of [1, 2]) { msg.b = x } return msg }"
    const { steps } = calledScript(script, ['{}'])
    expect(calledScript(script, ['{}'], steps).failure).toBeUndefined()
    expect(calledScript(script, ['{}'], steps - 1).failure).toBe(TOO_MANY_STEPS.message)
  })

  test('work that costs too much is not done, and not counted', () => {
    const { failure, steps } = calledScript("function f() { return 'x'.repeat(1000000) }", [], 100)
    expect(failure).toBe(TOO_MANY_STEPS.message)
    expect(steps).toBeLessThan(20)
  })

  test('a comparison of a number beyond the doubles, and its other sign, cost no time for its digits', () => {
    const number = '9'.repeat(1_000_000)
    for (const work of [
      'if (msg <= one) { n = 1 }',
      'if (one > msg) { n = 1 }',
      'm = -m; if (m < 0) { n = 1 }',
    ])
      expect(
        failureOf(
          `let one = 1; let n = 0; let m = msg; let l = [1]; for (const x of l) { l.push(x); ${work} }`,
          number,
        ),
      ).toBe(TOO_MANY_STEPS.message)
  })

  test.each([
    ['texts', JSON.stringify('x'.repeat(1_000_000))],
    ['numbers beyond the doubles', '9'.repeat(1_000_000)],
  ])('equal %s cost steps in proportion to their length', (_what, value) => {
    const call = (one: string, other: string) =>
      calledScript('function f(a, b) { return a == b }', [one, other])
    expect(call(value, value)).toMatchObject({ value: 'true' })
    expect(call(value, value).steps - call('"x"', '"x"').steps).toBe(1_000_000 >> 5)
    expect(call('"0123456789"', '"0123456789"').steps).toBe(call('"x"', '"y"').steps)
  })

  test('before they were counted, steps were taken only for texts that differ', () => {
    const text = 'x'.repeat(1_000)
    const stepsOf = (other: string) =>
      compileScript('function f(a, b) { return a == b }').call(
        [text, other],
        {
          nowMs: 0,
          stateVariable: () => null,
          search: begin => answerOf(begin()),
          paysForEqualTexts: false,
        },
        MAX_STEPS,
      ).steps
    expect(stepsOf(`${text.slice(1)}y`) - stepsOf(text)).toBe(1_000 >> 5)
  })

  test('a call costs in proportion to the text that it reads or makes', () => {
    const stepsOf = (expression: string, text: string) =>
      calledScript(`function f(msg) { let r = ${expression} }`, [JSON.stringify(text)]).steps
    for (const expression of [
      ...['msg.length', 'msg.slice(1)', 'msg.indexOf("zz")', 'msg.lastIndexOf("zz")', 'msg.toUpperCase()'],
      ...[
        'msg.trim()',
        'msg + msg',
        'msg.repeat(2)',
        '"x".padEnd(msg.length)',
        'JSON.stringify(msg)',
        'msg < msg',
      ],
      ...[
        'JSON.parse(msg)',
        'msg.at(-1)',
        'msg.charAt(3)',
        'msg == "x" + msg.slice(1)',
        'msg.startsWith(msg)',
      ],
      ...[
        'msg.endsWith(msg)',
        'msg.substring(1, 2)',
        'parseInt(msg)',
        'parseFloat(msg)',
        'msg[1]',
        '{}[msg]',
      ],
    ]) {
      const [short, long] = [stepsOf(expression, 'x'.repeat(1_000)), stepsOf(expression, 'x'.repeat(50_000))]
      expect(long - short, expression).toBeGreaterThan(1_000)
    }
  })

  test('a pattern of grok costs the search, and is built for each call unless it is a constant', () => {
    const unitsOf = (body: string, text: string) => {
      let units = 0
      const surroundings = {
        nowMs: 0,
        stateVariable: () => null,
        search: <Answer>(begin: () => CountedWork<Answer>) => {
          const search = begin()
          const answer = answerOf(search)
          units += search.units
          return answer
        },
      }
      const script = compileScript(`function f(msg) { ${body} }`)
      expect(script.call([text], surroundings, MAX_STEPS)).toMatchObject({ value: { b: '7' } })
      return units
    }
    const text = `${'a'.repeat(1_000)} 7`
    const literal = unitsOf("return parseGrok(msg, '%{DATA} %{INT:b}')", text)
    expect(literal).toBeGreaterThan(1_000)
    expect(unitsOf("const p = '%{DATA} %{INT:b}'; return parseGrok(msg, p)", text)).toBe(literal)
    const built = grokSteps('%{DATA} %{INT:b}') * 128
    expect(unitsOf("let p = '%{DATA} %{INT:b}'; return parseGrok(msg, p)", text)).toBe(literal + built)
    expect(unitsOf("return parseGrok(msg, '%{DATA} ' + '%{INT:b}')", text)).toBe(literal + built)
    expect(
      unitsOf("const p = '%{DATA}'; { const p = msg } return parseGrok(msg, p + ' %{INT:b}')", text),
    ).toBe(literal + built)
  })

  test('patterns of grok may take a number of units together, and the search ends there', () => {
    const loop = (pattern: string) =>
      failureOf(`${ENDLESS.slice(0, -1)}; parseGrok(msg, ${pattern}) }`, '"a 7"')
    expect(loop("'%{DATA} %{INT:b}'")).toBe(TOO_MANY_STEPS.message)
    expect(loop("'%{DATA}' + ' %{INT:b}'")).toBe(TOO_MUCH_SEARCHED.message)
    const long = JSON.stringify('a-'.repeat(100_000))
    expect(failureOf("parseGrok(msg, '%{GREEDYDATA}-%{GREEDYDATA}-%{INT}')", long)).toBe(
      TOO_MUCH_SEARCHED.message,
    )
    expect(failureOf(`let p = '${'%{HTTPD_COMBINEDLOG}'.repeat(14)}'; parseGrok(msg, p)`)).toBeUndefined()
    expect(failureOf(`let p = '${'%{HTTPD_COMBINEDLOG}'.repeat(14)}'; parseGrok('', p)`)).toBe(
      TOO_MUCH_SEARCHED.message,
    )
  })

  test('a loop over a long list costs in proportion to it, whatever its elements are', () => {
    const script = 'function f(msg) { let n = 0; for (const x of msg) { n += 1 } return n }'
    const stepsOf = (element: unknown, length: number) =>
      calledScript(script, [JSON.stringify(Array(length).fill(element))]).steps
    for (const element of [1, 'x', null, {}, []])
      expect(stepsOf(element, 5_000)).toBeLessThan(11 * stepsOf(element, 500))
  })

  test('a text made to slow a search down is searched in linear time', () => {
    const texts = JSON.stringify({ text: 'a'.repeat(30_000), sought: `b${'a'.repeat(10_000)}` })
    const body =
      'msg.at = msg.text.indexOf(msg.sought); msg.last = msg.text.lastIndexOf(msg.sought); msg.text = msg.sought = null'
    expect(messageAfter(body, texts)).toBe('{"at":-1,"last":-1}')
  })

  test.each([
    [
      'JSON.parse of members',
      'JSON.parse(t)',
      `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
    ],
    ['Object.keys', 'Object.keys(msg.o)', ''],
    ['JSON.stringify', 'JSON.stringify(msg.o)', ''],
  ])('%s of very many members costs too much', (_title, expression, t) => {
    const o = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]))
    expect(failureOf(`let t = msg.t; return ${expression}`, JSON.stringify({ o, t }))).toBe(
      TOO_MANY_STEPS.message,
    )
  })
})

describe('memory', () => {
  test.each<[string, string, string]>([
    ['a text just beyond the limit', `return 'x'.repeat(${MAX_TEXT_LENGTH + 1})`, TOO_LONG_TEXT.message],
    [
      'a text that doubles',
      "let a = 'x'.repeat(1000); for (const n of [1,2,3,4,5,6,7,8,9,10,11]) { a = a + a } return a",
      TOO_LONG_TEXT.message,
    ],
    ['towers of repeats', "return 'x'.repeat(1000).repeat(1000).repeat(1000)", TOO_LONG_TEXT.message],
    ['a repeat without end', "return 'x'.repeat(9007199254740992)", TOO_LONG_TEXT.message],
    ['a padding without end', "return 'x'.padStart(9007199254740992)", TOO_LONG_TEXT.message],
    [
      'one text at many places',
      "let a = 'x'.repeat(1000000); for (const n of [1,2,3,4,5,6,7,8]) { msg[n] = a } return msg",
      TOO_MANY_BYTES.message,
    ],
    [
      'values that share their parts',
      'let a = [msg]; for (const n of [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]) { a = [a, a] } return a',
      TOO_MANY_STEPS.message,
    ],
    [
      'the same, printed',
      'let a = [msg]; for (const n of [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]) { a = [a, a] } return JSON.stringify(a)',
      TOO_MANY_STEPS.message,
    ],
  ])('%s', (_title, body, failure) => {
    expect(failureOf(body)).toBe(failure)
  })

  test('a text of the greatest length is made', () => {
    expect(valueOfExpression(`'x'.repeat(${MAX_TEXT_LENGTH}).length`)).toBe(String(MAX_TEXT_LENGTH))
  })

  test('a long text of the event is read, and kept where it is', () => {
    const long = JSON.stringify({ text: 'x'.repeat(1_500_000) })
    expect(messageAfter('if (msg.text.length > 1500000) { msg.text = null }', long)).toBe(long)
  })
})

describe('levels', () => {
  const nest = (levels: number) =>
    `let a = []; let l = [1]; for (const x of l) { a = [a]; if (l.length < ${levels - 1}) { l.push(1) } }`

  test.each<[string, string, string | undefined]>([
    ['as many as allowed', `${nest(MAX_VALUE_LEVELS)} return a`, undefined],
    ['one more', `${nest(MAX_VALUE_LEVELS + 1)} return a`, TOO_MANY_LEVELS.message],
    ['very many', `${nest(5_000)} return a`, TOO_MANY_LEVELS.message],
    ['very many, printed', `${nest(5_000)} return JSON.stringify(a)`, TOO_MANY_LEVELS.message],
    [
      'as many as allowed, parsed',
      `return JSON.parse('['.repeat(${MAX_VALUE_LEVELS}) + ']'.repeat(${MAX_VALUE_LEVELS}))`,
      undefined,
    ],
    [
      'one more, parsed',
      `return JSON.parse('['.repeat(${MAX_VALUE_LEVELS + 1}) + ']'.repeat(${MAX_VALUE_LEVELS + 1}))`,
      TOO_MANY_LEVELS.message,
    ],
    ['very many, parsed', "return JSON.parse('['.repeat(1000000))", TOO_MANY_LEVELS.message],
    [
      'within an array, parsed',
      `return [JSON.parse('['.repeat(${MAX_VALUE_LEVELS}) + ']'.repeat(${MAX_VALUE_LEVELS}))]`,
      TOO_MANY_LEVELS.message,
    ],
    ['the message within itself', 'msg.self = msg; return msg', HOLDS_ITSELF.message],
    ['the message within an array of itself', 'msg.list = [{ a: msg }]; return msg', HOLDS_ITSELF.message],
    ['an array within itself', 'let a = []; a.push(a); return a', HOLDS_ITSELF.message],
    [
      'a value that contains itself, printed',
      'msg.self = msg; return JSON.stringify(msg)',
      TOO_MANY_LEVELS.message,
    ],
  ])('%s', (_title, body, failure) => {
    expect(failureOf(body)).toBe(failure)
  })

  test('a message that arrives with more levels passes as long as it stays where it is', () => {
    const deep = `{"a":${'['.repeat(240)}1${']'.repeat(240)}}`
    expect(messageAfter('msg.b = 1; msg.c = msg.a[0][0].length', deep)).toBe(
      `${deep.slice(0, -1)},"b":1,"c":1}`,
    )
    expect(failureOf('return { a: msg }', deep)).toBe(TOO_MANY_LEVELS.message)
    expect(failureOf('msg.a.push(1); msg.b = msg.a; return msg', deep)).toBe(TOO_MANY_LEVELS.message)
  })
})

describe('scripts that are hard to read', () => {
  test.each([
    ['brackets', `return ${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
    ['arrays', `return ${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['signs', `return ${'- '.repeat(30_000)}1`],
    ['negations', `return ${'!'.repeat(60_000)}1`],
    ['blocks', `${'{'.repeat(30_000)}${'}'.repeat(30_000)}`],
    ['questions', `return ${'1 ? '.repeat(10_000)}1${' : 1'.repeat(10_000)}`],
    ['branches', `${'if (1) '.repeat(9_000)} return 1`],
    ['keys', `return ${'[0][ '.repeat(10_000)}0${']'.repeat(10_000)}`],
  ])('very many nested %s are refused', (_title, body) => {
    expect(problemOfScript(`function f() { ${body} }`)).toMatch(
      /^1:\d+ it is nested more than 200 levels deep$/,
    )
  })

  test.each([
    ['operators', `return ${'1+'.repeat(32_000)}1`, '32001'],
    ['comparisons', `return ${'1==1&&'.repeat(10_000)}2`, '2'],
    ['members', `return msg${'.a'.repeat(32_000)}`, 'null'],
    ['methods', `return ' x '${'.trim()'.repeat(9_000)}`, '"x"'],
    ['elements', `return [${'1,'.repeat(32_000)}].length`, '32000'],
    ['branches in turn', `${'if (msg.a) { return 1 } else '.repeat(2_000)} return 2`, '2'],
    ['statements', `${'msg.b=1;'.repeat(8_000)} return msg`, '{"b":1}'],
  ])('very many %s in turn are read and run', (_title, body, value) => {
    expect(calledScript(`function f(msg) { ${body} }`, ['{}']).value).toBe(value)
  })

  test('a path of very many members cannot be returned', () => {
    expect(failureOf(`msg${'.a'.repeat(30_000)} = 1; return msg`)).toBe(TOO_MANY_LEVELS.message)
  })
})

describe('names and texts that mean something in JavaScript', () => {
  test('are plain data', () => {
    const names = ['__proto__', 'prototype', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '', '0']
    const text = `{${names.map(name => `"${name}":{"x":1}`).join(',')}}`
    const sum = names.map(name => `msg[${JSON.stringify(name)}].x`).join(' + ')
    expect(messageAfter(`msg.sum = ${sum}`, text)).toBe(`${text.slice(0, -1)},"sum":${names.length}}`)
    for (const name of names) {
      const [is, was] = [`msg[${JSON.stringify(name)}]`, `${JSON.stringify(name)}:{"x":1}`]
      expect(messageAfter(`msg.is = ${is} == null`)).toBe('{"is":true}')
      expect(messageAfter(`${is} = { x: 1 }`)).toBe(`{${was}}`)
      expect(messageAfter(`${is}.x = 1; msg.keys = Object.keys(msg)`)).toBe(
        `{${was},"keys":[${JSON.stringify(name)}]}`,
      )
      expect(messageAfter(`${is} = null`, `{${was},"b":2}`)).toBe('{"b":2}')
    }
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test('lone surrogates are characters of their own, and become pairs where they meet', () => {
    expect(messageAfter('msg.n = msg.t.length; msg.a = msg.t.slice(0, 2)', '{"t":"\\ud83dx\\ude00"}')).toBe(
      '{"t":"\\ud83dx\\ude00","n":3,"a":"\\ud83dx"}',
    )
    expect(messageAfter('msg.t = msg.a + msg.b; msg.n = msg.t.length', '{"a":"\\ud83d","b":"\\ude00"}')).toBe(
      '{"a":"\\ud83d","b":"\\ude00","t":"😀","n":1}',
    )
  })

  test.each([
    ['9007199254740992 + 1', '9007199254740992'],
    ['9007199254740993 == 9007199254740992', 'false'],
    ['9007199254740993 > 9007199254740992', 'false'],
    ['[1][9007199254740993]', 'null'],
    ["'abc'.at(9007199254740993)", 'null'],
    ["'abc'.at(-9007199254740993)", 'null'],
    ["'abc'.slice(-9007199254740993, 9007199254740993)", '"abc"'],
    ["'abc'.indexOf('c', 9007199254740993)", '-1'],
    ["'abc'.lastIndexOf('c', -1)", '-1'],
    ['-0', '0'],
    ['{ a: -0 }.a == 0', 'true'],
    ['JSON.stringify(-0)', '"0"'],
    ["JSON.parse('-0').toString()", '"0"'],
  ])('at the edges of numbers: %s', (expression, value) => {
    expect(valueOfExpression(expression)).toBe(value)
  })
})

test('a call leaves nothing for the next one', () => {
  const script = 'function f(msg) { let x; var y; if (msg.set) { x = 1; y = 2 } return [x, y] }'
  expect(calledScript(script, ['{"set":true}']).value).toBe('[1,2]')
  expect(calledScript(script, ['{}']).value).toBe('[null,null]')
})
