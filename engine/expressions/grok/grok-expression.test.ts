import { expect, test } from 'vitest'
import { answerOf } from '../counted-work.ts'
import { grokExpression } from './grok-expression.ts'

function parsed(pattern: string, text: string): Record<string, string> | undefined {
  const expression = grokExpression(pattern)
  const captures = answerOf(expression.find(text))
  return captures === null ? undefined : Object.fromEntries(expression.textsOf(text, captures))
}

test.each([
  [
    '%{WORD:part} %{NUMBER:nr}: %{GREEDYDATA:text}',
    'oven 4: door open',
    { part: 'oven', nr: '4', text: 'door open' },
  ],
  // The first match anywhere counts.
  ['%{NUMBER:nr}', 'oven 4, oven 5', { nr: '4' }],
  ['%{WORD:a}-%{WORD:b};%{WORD}', 'x one-two;three', { a: 'one', b: 'two' }],
  // A blank is exactly one blank.
  ['%{WORD:a} %{WORD:b}', 'one  two three', { a: 'two', b: 'three' }],
  // Quotation marks stay.
  ['%{QS:text}', 'say "no" now', { text: '"no"' }],
  // The first capture of a label that is not empty wins, wherever it stands.
  ['%{SPACE:a}%{WORD:a}', 'one', { a: 'one' }],
  ['%{WORD:a} %{WORD:a}', 'one two', { a: 'one' }],
  ['%{SPACE:a}%{WORD}', 'one', { a: '' }],
  // Dotted and bracketed labels are ordinary keys.
  [
    '%{IP:client.ip} %{INT:[http][status]}',
    '192.0.2.7 200',
    { 'client.ip': '192.0.2.7', '[http][status]': '200' },
  ],
  ['%{WORD}', 'one', {}],
  ['', 'one', {}],
  ['%{JSON_OBJECT:json}', 'a {"b":{}} and {} c', { json: '{"b":{}} and {}' }],
  ['%{SINGLE_SPACE}%{UTF8_WORD:word}%{PERIOD_CHAR}', 'die Straße.', { word: 'Straße' }],
  ['%{SYSLOGPROG}: %{DATA:text}%{PERIOD}', 'sshd[42]: open.', { program: 'sshd', pid: '42', text: 'open' }],
  // A label of the library that took no part is left out.
  ['%{SYSLOGPROG}', 'sshd', { program: 'sshd' }],
  [
    '%{HTTPD_COMMONLOG}',
    '192.0.2.7 - ida [09/Mar/2031:08:15:30 +0000] "GET /doors/4 HTTP/1.1" 200 5316',
    {
      clientip: '192.0.2.7',
      ident: '-',
      auth: 'ida',
      timestamp: '09/Mar/2031:08:15:30 +0000',
      verb: 'GET',
      request: '/doors/4',
      httpversion: '1.1',
      response: '200',
      bytes: '5316',
    },
  ],
])('%s on "%s"', (pattern, text, expected) => {
  expect(parsed(pattern, text)).toEqual(expected)
})

test('a text without the form has no captures', () => {
  expect(parsed('%{WORD:a}-%{INT:b}', 'one two')).toBeUndefined()
})

test('labels are listed in the order in which they first come', () => {
  expect(grokExpression('%{SYSLOGPROG}: %{WORD:pid} %{WORD:text}').labels).toEqual(['program', 'pid', 'text'])
})

test('a name that is not in the library cannot be compiled', () => {
  expect(() => grokExpression('%{NO_SUCH}')).toThrow('no grok pattern NO_SUCH')
})
