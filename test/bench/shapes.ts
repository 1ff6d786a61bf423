import type { BenchmarkOptions } from './benchmark.ts'
import { countText, type Report } from './figure.ts'
import { type MeasuredIngestion, measureIngestion, wayIntoStore } from './installation/ingestion.ts'
import { ObservedWeir } from './installation/observed-weir.ts'
import { reportIngestion } from './installation/report-ingestion.ts'
import { type StoreContents, storeContents } from './installation/store-contents.ts'
import type { LineShape } from './lines/line-shape.ts'
import { SHAPES } from './lines/shapes.ts'

/** Bytes of all lines of a shape: large lines are fewer. */
const BYTES = 145_000_000
const QUICK_BYTES = 6_000_000
const LINES_PER_BODY = 500

export const summary =
  'The benchmark runs the whole way of other shapes of lines: text, logfmt, nested, wide, escaped, non-ASCII and mixed lines. Each shape comes to an empty installation, in bodies of 500 lines on 8 connections. The floor is a bare JSON.parse of the same lines, and that of the JSON lines of end-to-end for lines that are text.'

export async function run(report: Report, options: BenchmarkOptions): Promise<void> {
  const rounds = options.rounds ?? 1
  for (const shape of SHAPES) {
    const lines = options.lines ?? linesOf(shape, options.quick ? QUICK_BYTES : BYTES)
    const measured: Round[] = []
    while (measured.length < rounds) measured.push(await measureShape(shape, lines))
    const title = `${shape.name}, ${countText(lines)} lines of ${Math.round(meanBytes(shape))} B`
    const ingestions = measured.map(({ ingestion }) => ingestion)
    reportIngestion({ title, noun: 'lines', arrived: 'stored' }, ingestions, report)
    report({
      name: `${title}: on the disk, all tables`,
      unit: 'B a line',
      values: measured.map(({ contents }) => bytesOf(contents) / lines),
    })
  }
}

interface Round {
  readonly ingestion: MeasuredIngestion
  readonly contents: StoreContents
}

async function measureShape(shape: LineShape, lines: number): Promise<Round> {
  const weir = await ObservedWeir.start()
  try {
    const series = { seed: 1, startMs: Date.now() - 600_000 }
    const ingestion = { shape: shape.name, lines, linesPerBody: LINES_PER_BODY, connections: 8, ...series }
    const measured = await measureIngestion(weir, wayIntoStore(weir), ingestion)
    await weir.program.end('SIGTERM')
    return { ingestion: measured, contents: await storeContents(weir.storeFolder) }
  } finally {
    await weir.program.dispose()
  }
}

/** Whole bodies. */
function linesOf(shape: LineShape, bytes: number): number {
  return Math.ceil(bytes / meanBytes(shape) / LINES_PER_BODY) * LINES_PER_BODY
}

const SAMPLE = 1_000

function meanBytes(shape: LineShape): number {
  const lineAt = shape.lines({ seed: 1, startMs: 0 })
  let bytes = 0
  for (let number = 0; number < SAMPLE; number++) bytes += Buffer.byteLength(lineAt(number).line)
  return bytes / SAMPLE
}

function bytesOf({ tables }: StoreContents): number {
  return tables.reduce((sum, { bytes }) => sum + bytes, 0)
}
