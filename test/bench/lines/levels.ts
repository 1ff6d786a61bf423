import type { Draw } from './draw.ts'

export interface Outcome {
  readonly level: 'info' | 'warn' | 'error'
  readonly status: 200 | 404 | 500
}

const FINE: Outcome = { level: 'info', status: 200 }
const MISSING: Outcome = { level: 'warn', status: 404 }
const BROKEN: Outcome = { level: 'error', status: 500 }

/** Half of the lines are information, three of ten a warning, two of ten an error. */
export function outcomeOf(draw: Draw): Outcome {
  const ten = draw.below(10)
  if (ten < 5) return FINE
  return ten < 8 ? MISSING : BROKEN
}
