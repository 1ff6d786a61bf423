import { gzipSync } from 'node:zlib'
import type { LineAt, SentLine, Series } from '../lines/line-shape.ts'
import { shapeOf } from '../lines/shapes.ts'

/** `lines` is the form that log ingestion takes, all others are those of a gateway route: their lines must be JSON. */
export type BodyForm = 'lines' | 'array' | 'ndjson' | 'array-gzip'

/** Lines of one shape in the bodies of requests, always the same for one description. */
export interface BodySeries extends Series {
  /** Name of a LineShape. */
  readonly shape: string
  readonly lines: number
  readonly linesPerBody: number
  readonly form: BodyForm
}

export interface Body {
  readonly bytes: Buffer
  readonly lines: number
}

/** Start of lines where no clock matters. */
export const SAMPLE_START_MS = 1_795_000_000_000

export function* bodiesOf({ shape, lines, linesPerBody, form, ...series }: BodySeries): Generator<Body> {
  const lineAt = shapeOf(shape).lines(series)
  for (let first = 0; first < lines; first += linesPerBody) {
    const count = Math.min(linesPerBody, lines - first)
    yield { bytes: bodyOf(linesFrom(lineAt, first, count), form), lines: count }
  }
}

/** Bodies of the shape that figures are claimed for, for log ingestion. */
export function sampleBodies(count: number, linesPerBody: number): Buffer[] {
  const series = { shape: 'json', seed: 1, startMs: SAMPLE_START_MS, form: 'lines' } as const
  return [...bodiesOf({ ...series, linesPerBody, lines: count * linesPerBody })].map(({ bytes }) => bytes)
}

/** Lines of the shape that figures are claimed for. */
export function sampleLineAt(): LineAt {
  return shapeOf('json').lines({ seed: 1, startMs: SAMPLE_START_MS })
}

export function linesFrom(lineAt: LineAt, first: number, count: number): SentLine[] {
  return Array.from({ length: count }, (_, index) => lineAt(first + index))
}

export function bodyOf(lines: readonly SentLine[], form: BodyForm = 'lines'): Buffer {
  switch (form) {
    case 'lines':
      return Buffer.from(JSON.stringify({ lines }))
    case 'array':
      return Buffer.from(arrayOf(lines))
    case 'array-gzip':
      return gzipSync(arrayOf(lines))
    case 'ndjson':
      return Buffer.from(lines.map(({ line }) => `${line}\n`).join(''))
  }
}

function arrayOf(lines: readonly SentLine[]): string {
  return `[${lines.map(({ line }) => line).join()}]`
}
