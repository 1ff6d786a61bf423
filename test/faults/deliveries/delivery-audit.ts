import type { TakenBody } from './taken-body.ts'

/**
 * Kinds of findings.
 *
 * - `lost`: acknowledged, and not taken by the receiver
 * - `doubled`: taken twice, in requests that do not repeat each other
 * - `doubled for good`: in two documents or objects of a receiver that recognises repeats
 * - `out of order`: taken behind a line that was sent later
 * - `delayed`: lines of the other account that waited for receivers of the first one
 */
export const DELIVERY_FINDINGS = ['lost', 'doubled', 'doubled for good', 'out of order', 'delayed'] as const
export type DeliveryFinding = (typeof DELIVERY_FINDINGS)[number]

/** Events that one receiver has to have. */
export interface DeliveryFacts {
  /** Acknowledged lines in the order in which they were sent. Numbers in the lines rise with it. */
  readonly acknowledged: readonly string[]
  readonly taken: readonly TakenBody[]
  /**
   * Form in which the receiver knows a repeat: requests by their keys, documents by their ids; objects replace themselves.
   * A Weir does not store a repeated line again: its lines are documents.
   */
  readonly knows: 'requests' | 'documents' | 'objects'
}

/** Lines that break a promise, by kind. */
export type DeliveryFindings = Readonly<Partial<Record<DeliveryFinding, readonly string[]>>>

export function auditDelivery({ acknowledged, taken, knows }: DeliveryFacts): DeliveryFindings {
  const firsts = [...new Set(taken.flatMap(({ lines }) => lines))]
  const known = new Set(firsts)
  const doubled = knows === 'documents' ? linesInTwoDocuments(taken) : linesInTwoBodies(taken)
  return {
    lost: acknowledged.filter(line => !known.has(line)),
    [knows === 'requests' ? 'doubled' : 'doubled for good']: doubled,
    'out of order': linesBehindLaterOnes(firsts),
  }
}

/** Number in a line, by which lines of one sender are ordered. */
export function lineNumber(line: string): number {
  return Number(line.split(' ')[1])
}

function linesInTwoDocuments(taken: readonly TakenBody[]): string[] {
  return repeated(taken.flatMap(({ lines }) => lines))
}

/** Bodies of one key must be equal; then each counts once. */
function linesInTwoBodies(taken: readonly TakenBody[]): string[] {
  const bodies = new Map<string, readonly string[]>()
  const changed: string[] = []
  for (const { key, lines } of taken) {
    const known = bodies.get(key)
    if (known === undefined) bodies.set(key, lines)
    else if (known.join('\n') !== lines.join('\n')) changed.push(...lines)
  }
  return [...changed, ...repeated([...bodies.values()].flat())]
}

function repeated(lines: readonly string[]): string[] {
  const known = new Set<string>()
  return lines.filter(line => known.size === known.add(line).size)
}

function linesBehindLaterOnes(firsts: readonly string[]): string[] {
  let highest = -1
  return firsts.filter(line => {
    const number = lineNumber(line)
    const isBehind = number < highest
    highest = Math.max(highest, number)
    return isBehind
  })
}
