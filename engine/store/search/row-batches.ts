import { setImmediate } from 'node:timers/promises'

/** Text that is parsed at once, unless a row is longer: some 5 ms. */
const BATCH_BYTES = 1024 * 1024
const LINE_END = 0x0a

/**
 * Rows of a text in JSONEachRow, batch by batch. A block of the engine may have some thousand rows of many kilobytes each,
 * so other work has its turn between two batches.
 */
export async function* rowBatches<Row>(text: Uint8Array): AsyncGenerator<Row[]> {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  for (let start = 0; start < bytes.length; ) {
    if (start > 0) await setImmediate()
    // Texts of a row have their line ends escaped.
    const lineEnd = bytes.indexOf(LINE_END, start + BATCH_BYTES)
    const end = lineEnd < 0 ? bytes.length : lineEnd + 1
    const rows: Row[] = []
    for (const line of bytes.toString('utf8', start, end).split('\n'))
      if (line !== '') rows.push(JSON.parse(line) as Row)
    if (rows.length > 0) yield rows
    start = end
  }
}
