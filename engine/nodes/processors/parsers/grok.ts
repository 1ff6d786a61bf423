import Type from 'typebox'
import { grokExpression } from '../../../expressions/grok/grok-expression.ts'
import { grokPatternProblem } from '../../../expressions/grok/grok-pattern.ts'
import { orderedObject } from '../../../json/ordered-object.ts'
import { GrokPattern } from '../../contract/config-schema.ts'
import { CLOSED, defineParser } from './define-parser.ts'

/** Labelled captures of a grok pattern, at its first match anywhere in the text. Labels that took no part are left out. */
export const grok = defineParser({
  id: 'parse_grok',
  options: Type.Object(
    { pattern: GrokPattern({ description: 'Pattern such as %{WORD:part} %{NUMBER:number}' }) },
    CLOSED,
  ),
  optionsRequired: true,
  // Earlier programs stored patterns with names that do not exist.
  runProblems({ pattern }: { readonly pattern?: unknown }) {
    const message = typeof pattern === 'string' ? grokPatternProblem(pattern) : undefined
    return message === undefined ? [] : [{ instancePath: '/pattern', message }]
  },
  compile({ pattern }, meter) {
    const expression = grokExpression(pattern)
    return text => {
      const captures = meter.count(() => expression.find(text))
      return captures === null ? undefined : orderedObject(expression.textsOf(text, captures))
    }
  },
  examples: [
    {
      text: 'oven 4: door open',
      options: { pattern: '%{WORD:part} %{NUMBER:nr}: %{GREEDYDATA:text}' },
      value: { part: 'oven', nr: '4', text: 'door open' },
    },
    {
      text: '192.0.2.7 - ada [09/Mar/2031:08:15:30 +0000] "GET /doors/4 HTTP/1.1" 200 5316 "-" "curl/8.5.0"',
      options: { pattern: '%{HTTPD_COMBINEDLOG}' },
      value: {
        clientip: '192.0.2.7',
        ident: '-',
        auth: 'ada',
        timestamp: '09/Mar/2031:08:15:30 +0000',
        verb: 'GET',
        request: '/doors/4',
        httpversion: '1.1',
        response: '200',
        bytes: '5316',
        referrer: '"-"',
        agent: '"curl/8.5.0"',
      },
    },
    { text: 'sshd', options: { pattern: '%{SYSLOGPROG}' }, value: { program: 'sshd' } },
    {
      text: 'from 192.0.2.7',
      options: { pattern: '%{IP:client.ip}%{SPACE:client.ip}' },
      value: { 'client.ip': '192.0.2.7' },
    },
    { text: 'oven four', options: { pattern: '%{WORD:part} %{NUMBER:nr}' } },
  ],
})
