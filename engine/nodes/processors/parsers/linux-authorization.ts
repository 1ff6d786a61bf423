import { defineParser } from './define-parser.ts'
import { syslogMessage } from './syslog.ts'

/** A line of Linux' log of authorizations, which has the form of syslog. */
export const linuxAuthorization = defineParser({
  id: 'parse_linux_authorization',
  compile: () => syslogMessage,
  examples: [
    {
      text: 'Mar 23 01:49:58 oven-4 sshd[1111]: Accepted publickey for ada',
      atMs: Date.UTC(2031, 2, 24),
      value: {
        timestamp: '2031-03-23T01:49:58Z',
        hostname: 'oven-4',
        appname: 'sshd',
        procid: 1111,
        message: 'Accepted publickey for ada',
      },
    },
    { text: 'Accepted publickey' },
  ],
})
