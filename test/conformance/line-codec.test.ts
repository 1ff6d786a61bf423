import { type LineCodec, lineCodec } from '../../engine/lines/line-codec.ts'
import { WasmCodec } from '../../engine/lines/wasm/wasm-codec.ts'
import { lineCodecContract } from './line-codec-contract.ts'

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
