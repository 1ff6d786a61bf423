import { accessParser } from './apache-log.ts'
import { defineParser } from './define-parser.ts'
import { ACCESS_LOG_TIME, timeReader } from './log-time.ts'

/** A line in the common log format. */
export const commonLog = defineParser({
  id: 'parse_common_log',
  compile: () => accessParser('common', timeReader(ACCESS_LOG_TIME)),
  examples: [
    {
      text: 'host-7 id ada [09/Mar/2031:08:15:30 +0000] "POST /bread HTTP/2" 201 -',
      value: {
        host: 'host-7',
        identity: 'id',
        user: 'ada',
        timestamp: '2031-03-09T08:15:30Z',
        message: 'POST /bread HTTP/2',
        method: 'POST',
        path: '/bread',
        protocol: 'HTTP/2',
        status: 201,
      },
    },
    { text: 'host-7 id ada [09/Mar/2031:08:15:30 +0000] "POST /bread HTTP/2" 201 - more' },
  ],
})
