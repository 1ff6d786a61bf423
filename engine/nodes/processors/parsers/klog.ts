import { defineParser } from './define-parser.ts'
import { lineParser } from './glog.ts'

/** A line of Kubernetes' klog, whose times have no year: components, section 9.3. */
export const klog = defineParser({
  id: 'parse_klog',
  compile: () => lineParser('\\d{4}', '%m%d %T%.6f'),
  examples: [
    {
      text: 'E0309 08:15:30.250001   70 klog.go:70] hello, world',
      atMs: Date.UTC(2031, 2, 10),
      value: {
        level: 'error',
        timestamp: '2031-03-09T08:15:30.250001Z',
        id: 70,
        file: 'klog.go',
        line: 70,
        message: 'hello, world',
      },
    },
    { text: 'E0309 08:15:30 70 klog.go:70] hello' },
  ],
})
