import { describe, test } from 'vitest'
import type { LineCodec } from '../../engine/lines/line-codec.ts'
import type { CodecRule } from '../support/codec-rules.ts'
import { COLUMN_RULES } from './line-columns-contract.ts'
import { FIELD_RULES } from './line-fields-contract.ts'
import { SLOT_RULES } from './slotted-lines-contract.ts'

/** Suites that every codec of lines passes, by subject. */
export const CODEC_SUITES = {
  columns: { title: 'open columns of bodies', rules: COLUMN_RULES },
  fields: { title: 'field columns of lines', rules: FIELD_RULES },
  slots: { title: 'columns of slotted lines', rules: SLOT_RULES },
} as const satisfies Record<string, { readonly title: string; readonly rules: readonly CodecRule[] }>

export const SUITE_NAMES = ['columns', 'fields', 'slots'] as const satisfies (keyof typeof CODEC_SUITES)[]

export function lineCodecContract(name: string, codec: LineCodec): void {
  for (const { title, rules } of Object.values(CODEC_SUITES))
    describe(`${name}: ${title}`, () => {
      for (const rule of rules) test(rule.title, () => rule.check(codec))
    })
}
