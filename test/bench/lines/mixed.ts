import { container } from './container.ts'
import { drawFor } from './draw.ts'
import { escapes } from './escapes.ts'
import { json } from './json.ts'
import type { LineShape } from './line-shape.ts'
import { logfmt } from './logfmt.ts'
import { nonAscii } from './non-ascii.ts'
import { text } from './text.ts'
import { wide } from './wide.ts'

/** Shapes and how many of 100 lines have them. */
const SHARES: readonly (readonly [LineShape, number])[] = [
  [json, 40],
  [text, 20],
  [logfmt, 10],
  [container, 10],
  [wide, 5],
  [escapes, 10],
  [nonAscii, 5],
]
/** Keeps the choice of a shape apart from the values of its line. */
const CHOICE = 0xc401ce

/** All shapes in turn, so that code that has met one shape meets another at the next line. */
export const mixed: LineShape = {
  name: 'mixed',
  summary: 'all the other shapes: 40 % of json, 20 % of text, 5 to 10 % of each other one',
  isJson: false,
  meanBytes: { least: 390, most: 460 },
  lines(series) {
    const hundred = SHARES.flatMap(([shape, share]) => {
      const lineAt = shape.lines(series)
      return Array.from({ length: share }, () => lineAt)
    })
    return number => drawFor(series.seed ^ CHOICE, number).pick(hundred)(number)
  },
}
