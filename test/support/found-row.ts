import { RECEIVED_MS } from './sent-lines.ts'

/** A line as the store finds it, but for its text and the number of found lines. */
export const FOUND_ROW = {
  account: '507f1f77bc',
  t: RECEIVED_MS,
  ts: RECEIVED_MS,
  topic: 0,
  partition: 0,
  offset: '1',
  row: 0,
  host: 'web-1',
  app: 'nginx',
  level: '',
  file: '',
  env: '',
  mac: '',
  ip: '',
  remote: '',
  tags: [],
  meta: '',
  extra: '',
  size: 1,
  retention: 30,
}
