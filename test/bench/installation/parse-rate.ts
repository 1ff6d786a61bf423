import type { LineAt } from '../lines/line-shape.ts'
import { shapeOf } from '../lines/shapes.ts'

const SAMPLE = 50_000
const ROUNDS = 5

/**
 * Lines per CPU-second that a bare JSON.parse takes on this machine at this moment: ratios to it compare across machines
 * and hours. Text has no parse, so its measure is that of the shape that figures are claimed for. A text among JSON lines
 * is parsed as the JSON string that is sent.
 */
export function parseRate(shape: string): number {
  const { isJson } = shapeOf(shape)
  const lineAt = shapeOf(isJson || shape === 'mixed' ? shape : 'json').lines({ seed: 9, startMs: 0 })
  const texts = Array.from({ length: SAMPLE }, (_, number) => parsedText(lineAt, number))
  const rates = Array.from({ length: ROUNDS }, () => rateOf(texts)).sort((a, b) => a - b)
  return rates[ROUNDS >> 1] as number
}

function parsedText(lineAt: LineAt, number: number): string {
  const { line } = lineAt(number)
  return line.startsWith('{') ? line : JSON.stringify(line)
}

function rateOf(texts: readonly string[]): number {
  const before = process.cpuUsage()
  for (const text of texts) JSON.parse(text)
  const { user, system } = process.cpuUsage(before)
  return texts.length / ((user + system) / 1e6)
}
