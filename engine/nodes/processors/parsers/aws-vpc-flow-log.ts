import type { JsonValue } from '../../../../schemas/json.ts'
import { defineParser, integerOf } from './define-parser.ts'

const WORDS = [
  ...['version', 'account_id', 'interface_id', 'srcaddr', 'dstaddr', 'srcport', 'dstport', 'protocol'],
  ...['packets', 'bytes', 'start', 'end', 'action', 'log_status'],
]
const INTEGERS = new Set(['version', 'srcport', 'dstport', 'protocol', 'packets', 'bytes', 'start', 'end'])
const INTEGER = /^\d{1,20}$/

/** A record of a VPC flow log in its default form. A dash is null. */
export const awsVpcFlowLog = defineParser({
  id: 'parse_aws_vpc_flow_log',
  compile: () => text => {
    const words = text.split(' ', WORDS.length + 1)
    if (words.length !== WORDS.length) return undefined
    const members: [string, JsonValue][] = []
    for (const [place, name] of WORDS.entries()) {
      const word = words[place] as string
      if (INTEGERS.has(name) && word !== '-') {
        if (!INTEGER.test(word)) return undefined
        members.push([name, integerOf(word)])
      } else {
        members.push([name, word === '-' ? null : word])
      }
    }
    return Object.fromEntries(members)
  },
  examples: [
    {
      text: '2 123456789010 eni-1235b8ca 172.31.16.139 172.31.16.21 20641 22 6 20 4249 1418530010 1418530070 ACCEPT OK',
      value: {
        version: 2,
        account_id: '123456789010',
        interface_id: 'eni-1235b8ca',
        srcaddr: '172.31.16.139',
        dstaddr: '172.31.16.21',
        srcport: 20641,
        dstport: 22,
        protocol: 6,
        packets: 20,
        bytes: 4249,
        start: 1418530010,
        end: 1418530070,
        action: 'ACCEPT',
        log_status: 'OK',
      },
    },
    {
      text: '2 123456789010 eni-1 - - - - - - - 1431280876 1431280934 - NODATA',
      value: {
        version: 2,
        account_id: '123456789010',
        interface_id: 'eni-1',
        srcaddr: null,
        dstaddr: null,
        srcport: null,
        dstport: null,
        protocol: null,
        packets: null,
        bytes: null,
        start: 1431280876,
        end: 1431280934,
        action: null,
        log_status: 'NODATA',
      },
    },
    { text: '2 123456789010 eni-1 - - - - - - - 1431280876 1431280934 - NODATA more' },
    { text: '2 123456789010 eni-1 - - x - - - - 1431280876 1431280934 - NODATA' },
  ],
})
