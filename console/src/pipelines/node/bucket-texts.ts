import { oneRow } from '../../lines/visible-text.ts'
import { count } from '../../numbers.ts'
import { HOUR_MS, MINUTE_MS } from '../../times/time.ts'
import type { BucketRecord } from '../requests.ts'
import { TEXT } from '../texts.ts'

/** Name of a bucket. Keys come from lines, so their hidden characters are made visible. */
export function keyText({
  bucket,
  key,
  key_sha256: hash,
}: Pick<BucketRecord, 'bucket' | 'key' | 'key_sha256'>): string {
  if (bucket === 'default') return TEXT.throttle.withoutKey
  if (bucket === 'shared') return TEXT.throttle.others
  return key === null ? (hash ?? '') : oneRow(key)
}

const SPANS = [
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
  ['s', 1_000],
] as const

/** A span in its largest whole unit, as `5 min`. */
export function spanOf(ms: number): string {
  const [unit, length] = SPANS.find(([, each]) => ms % each === 0) ?? ['ms', 1]
  return `${count(ms / length)} ${unit}`
}
