import { expect, test } from 'vitest'
import { appOfFile } from './byte-source.ts'

test.each([
  ['/var/log/nginx.log', 'nginx'],
  ['nginx.log.1', 'nginx'],
  ['nginx.log.2.gz', 'nginx'],
  ['nginx.log-20260131', 'nginx'],
  ['nginx.log.2026-01-31.zst', 'nginx'],
  ['nginx-1.2.log', 'nginx-1.2'],
  ['server-2', 'server-2'],
  ['syslog', 'syslog'],
  ['syslog.1', 'syslog'],
  ['.hidden', '.hidden'],
])('the application of %s is %s', (path, app) => {
  expect(appOfFile(path)).toBe(app)
})
