import { describe, expect, test } from 'vitest'
import { type LineCodec, lineCodec } from '../../engine/lines/line-codec.ts'
import { WasmCodec } from '../../engine/lines/wasm/wasm-codec.ts'
import { BROKEN_CODECS } from '../support/broken-codecs.ts'
import { CODEC_SUITES, lineCodecContract, SUITE_NAMES } from './line-codec-contract.ts'

lineCodecContract('the codec in TypeScript', lineCodec)
lineCodecContract('the codec in WebAssembly', new WasmCodec())

/** It reads every second row, and leaves the others to the complete rules. */
const reluctant: LineCodec = {
  ...lineCodec,
  fill(run, from, names, columns) {
    if (from < run.rows && from % 2 === 1) return from
    return lineCodec.fill({ ...run, rows: Math.min(run.rows, from + 1) }, from, names, columns)
  },
}
lineCodecContract('a codec that leaves rows to the complete rules', reluctant)

describe('a fault of a codec', () => {
  const faults = BROKEN_CODECS.flatMap(({ fault, newCodec, foundBy }) =>
    SUITE_NAMES.filter(suite => suite in foundBy).map(suite => ({
      ...{ fault, newCodec, suite },
      rule: CODEC_SUITES[suite].rules.find(({ title }) => title === foundBy[suite]),
    })),
  )
  test.each(faults)('is found by the suite of $suite: $fault', ({ newCodec, rule }) => {
    expect(rule).toBeDefined()
    expect(() => rule?.check(newCodec())).toThrow()
  })
})
