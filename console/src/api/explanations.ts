import type { AccountExplainedLine } from '../../../schemas/http/pipeline/explanation-api.ts'
import { linesOf } from './pieces.ts'
import { Problem } from './problem.ts'
import { parseExact, type Value } from './records.ts'
import { send } from './request.ts'

export type { AccountExplainedLine }
export type ExplainedPipeline = AccountExplainedLine['pipelines'][number]
export type ExplainedStep = ExplainedPipeline['steps'][number]

/** An explained line; its event keeps the digits of its numbers. */
export interface Explanation {
  readonly line: AccountExplainedLine
  readonly message: Value
}

/** The way of a stored line, or of the lines of one request to ingestion. @throws Problem */
export async function explain(
  subject: { readonly line_id: string } | { readonly batch_id: string },
  signal: AbortSignal,
): Promise<readonly Explanation[]> {
  const answer = await send(`/v3/explain?${new URLSearchParams({ ...subject })}`, { signal })
  const text = await answer.text()
  const { data } = JSON.parse(text) as { readonly data: readonly AccountExplainedLine[] }
  const exact = parseExact(text) as unknown as {
    readonly data: readonly { readonly event: { readonly message: Value } }[]
  }
  return data.map((line, at) => ({ line, message: exact.data[at]?.event.message ?? null }))
}

export type ExplanationPiece =
  | Explanation
  | { readonly progress: { readonly records: number; readonly handled_at: string } }
  | { readonly end: { readonly lines: number } }

export interface SoughtLines {
  readonly query: string
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
  /** Whether only lines are wanted of which nothing is in the store. */
  readonly onlyMissing: boolean
}

/** Looks in the kept log for lines as they were sent, and yields their ways as they are found. @throws Problem */
export async function* explainSought(
  { query, fromMs, toMs, limit, onlyMissing }: SoughtLines,
  signal: AbortSignal,
): AsyncGenerator<ExplanationPiece> {
  const parameters = new URLSearchParams({
    query,
    from: String(fromMs),
    to: String(toMs),
    limit: String(limit),
    missing: String(onlyMissing),
  })
  const answer = await send(`/v3/explain?${parameters}`, { signal })
  for await (const text of linesOf(answer)) {
    const piece = JSON.parse(text) as {
      line?: AccountExplainedLine
      progress?: { records: number; handled_at: string }
      end?: { lines: number }
      error?: { message: string }
    }
    if (piece.error !== undefined) throw new Problem(500, piece.error.message)
    if (piece.line !== undefined) {
      const exact = parseExact(text) as unknown as { line: { event: { message: Value } } }
      yield { line: piece.line, message: exact.line.event.message }
    }
    if (piece.progress !== undefined) yield { progress: piece.progress }
    if (piece.end !== undefined) yield { end: piece.end }
  }
}
