import { expect } from 'vitest'
import type { LineCodec } from '../../engine/lines/line-codec.ts'

/** One promise of a codec of lines. */
export interface CodecRule {
  readonly title: string
  /** @throws for a codec that breaks the promise */
  check(codec: LineCodec): void
}

/** The promise that a file of golden cases has all cases, in their order. */
export function everyCaseExists(
  golden: readonly { readonly title: string }[],
  cases: readonly { readonly title: string }[],
): CodecRule {
  return {
    title: `each of ${cases.length} cases exists`,
    check: () => expect(golden.map(({ title }) => title)).toEqual(cases.map(({ title }) => title)),
  }
}

/** One promise per golden case. */
export function ruleOfEach<Golden extends { readonly title: string }>(
  golden: readonly Golden[],
  check: (codec: LineCodec, golden: Golden) => void,
): readonly CodecRule[] {
  return golden.map(each => ({ title: each.title, check: codec => check(codec, each) }))
}
