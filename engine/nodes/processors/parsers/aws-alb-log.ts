import type { JsonValue } from '../../../../schemas/json.ts'
import { defineParser, MAX_PARTS } from './define-parser.ts'
import { splitWords } from './split-words.ts'

/** Words of an entry, in order; the request has three parts. */
const WORDS = [
  ...['type', 'timestamp', 'elb', 'client_host', 'target_host', 'request_processing_time'],
  ...['target_processing_time', 'response_processing_time', 'elb_status_code', 'target_status_code'],
  ...['received_bytes', 'sent_bytes', 'request', 'user_agent', 'ssl_cipher', 'ssl_protocol'],
  ...['target_group_arn', 'trace_id', 'domain_name', 'chosen_cert_arn', 'matched_rule_priority'],
  ...['request_creation_time', 'actions_executed', 'redirect_url', 'error_reason', 'target_port_list'],
  ...['target_status_code_list', 'classification', 'classification_reason', 'traceability_id'],
]
const NUMBERS = new Set([
  ...['request_processing_time', 'target_processing_time', 'response_processing_time'],
  ...['received_bytes', 'sent_bytes'],
])
const LISTS = new Set(['target_port_list', 'target_status_code_list'])
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/
const REQUEST = /^(\S+) (\S+) (\S+)$/

/** An entry of the access log of an application load balancer. A dash is null. */
export const awsAlbLog = defineParser({
  id: 'parse_aws_alb_log',
  compile: () => text => {
    const words = splitWords(text, WORDS.length + 1)
    if (words.length !== WORDS.length && words.length !== WORDS.length - 1) return undefined
    const members: [string, JsonValue][] = []
    for (const [place, word] of words.entries()) {
      const name = WORDS[place] as string
      if (name === 'request') {
        const [, method, target, protocol] = REQUEST.exec(word) ?? []
        if (method === undefined) return undefined
        const parts = { request_method: method, request_url: target, request_protocol: protocol }
        for (const [part, value = ''] of Object.entries(parts)) members.push([part, textOrNull(value)])
      } else if (LISTS.has(name)) {
        const list = word === '-' || word === '' ? [] : word.split(' ', MAX_PARTS)
        if (list.length === MAX_PARTS) return undefined
        members.push([name, list])
      } else if (NUMBERS.has(name)) {
        if (word !== '-' && !NUMBER.test(word)) return undefined
        members.push([name, word === '-' ? null : Number(word)])
      } else {
        members.push([name, textOrNull(word)])
      }
    }
    return Object.fromEntries(members)
  },
  examples: [
    {
      text: 'https 2031-03-09T08:15:30.250000Z app/shop/50dc 192.0.2.1:2817 10.0.0.1:80 0.001 0.002 0.000 200 200 34 366 "GET https://shop.example:443/?a=b HTTP/1.1" "curl/8 (x)" ECDHE TLSv1.2 arn:tg "Root=1-58" "shop.example" "arn:cert" 0 2031-03-09T08:15:30.249000Z "forward" "-" "-" "10.0.0.1:80 10.0.0.2:80" "200" "-" "-"',
      value: {
        type: 'https',
        timestamp: '2031-03-09T08:15:30.250000Z',
        elb: 'app/shop/50dc',
        client_host: '192.0.2.1:2817',
        target_host: '10.0.0.1:80',
        request_processing_time: 0.001,
        target_processing_time: 0.002,
        response_processing_time: 0,
        elb_status_code: '200',
        target_status_code: '200',
        received_bytes: 34,
        sent_bytes: 366,
        request_method: 'GET',
        request_url: 'https://shop.example:443/?a=b',
        request_protocol: 'HTTP/1.1',
        user_agent: 'curl/8 (x)',
        ssl_cipher: 'ECDHE',
        ssl_protocol: 'TLSv1.2',
        target_group_arn: 'arn:tg',
        trace_id: 'Root=1-58',
        domain_name: 'shop.example',
        chosen_cert_arn: 'arn:cert',
        matched_rule_priority: '0',
        request_creation_time: '2031-03-09T08:15:30.249000Z',
        actions_executed: 'forward',
        redirect_url: null,
        error_reason: null,
        target_port_list: ['10.0.0.1:80', '10.0.0.2:80'],
        target_status_code_list: ['200'],
        classification: null,
        classification_reason: null,
      },
    },
    { text: 'https 2031-03-09T08:15:30Z' },
  ],
})

function textOrNull(word: string): string | null {
  return word === '-' ? null : word
}
