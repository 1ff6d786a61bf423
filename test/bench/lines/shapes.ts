import { container } from './container.ts'
import { escapes } from './escapes.ts'
import { json } from './json.ts'
import type { LineShape } from './line-shape.ts'
import { logfmt } from './logfmt.ts'
import { mixed } from './mixed.ts'
import { nonAscii } from './non-ascii.ts'
import { text } from './text.ts'
import { wide } from './wide.ts'

/** All shapes, the one that figures are claimed for first. */
export const SHAPES: readonly LineShape[] = [json, text, logfmt, container, wide, escapes, nonAscii, mixed]

export function shapeOf(name: string): LineShape {
  const shape = SHAPES.find(each => each.name === name)
  if (shape === undefined) throw new Error(`there is no shape ${name}`)
  return shape
}
