/** A finding of the server about one member of a request. */
export interface Finding {
  readonly place: string
  readonly message: string
}

/** An answer that is an error, in the server's words; status 0: there was no answer. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly requestId: string | undefined
  /** Seconds after which the server asks to try again. */
  readonly retryAfterS: number | undefined
  readonly findings: readonly Finding[]
  /** Code of the error, such as `ENOCHANGES`. */
  readonly code: string | undefined
  /** Present version of the object, where the answer contains it. */
  readonly data: unknown
  /** Whether the request may have changed something: then it is never repeated unasked. */
  readonly isOfWrite: boolean

  constructor(
    status: number,
    message: string,
    more: {
      requestId?: string | undefined
      retryAfterS?: number | undefined
      findings?: readonly Finding[]
      code?: string | undefined
      data?: unknown
      isOfWrite?: boolean
    } = {},
  ) {
    super(message)
    this.status = status
    this.requestId = more.requestId
    this.retryAfterS = more.retryAfterS
    this.findings = more.findings ?? []
    this.code = more.code
    this.data = more.data
    this.isOfWrite = more.isOfWrite ?? false
  }
}

/** Whether a search was refused as it was written: its lines, counts and values share that one error. */
export function isRefusedQuery(error: unknown): boolean {
  return error instanceof Problem && error.status === 400
}

interface ErrorBody {
  readonly code?: string
  readonly data?: unknown
  readonly message?: string
  readonly error?: string
  readonly errors?: readonly { readonly instancePath: string; readonly message: string }[]
  readonly details?: readonly { readonly key: string; readonly message: string }[]
}

/** Reads the error of an answer. */
export async function problemOf(answer: Response, isOfWrite: boolean): Promise<Problem> {
  const body = (await answer.json().catch(() => ({}))) as ErrorBody
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const found = body.errors?.map(({ instancePath, message }) => ({ place: instancePath.slice(1), message }))
  const details = body.details?.map(({ key, message }) => ({ place: key, message }))
  return new Problem(answer.status, body.message ?? body.error ?? `The server answered ${answer.status}.`, {
    requestId: answer.headers.get('x-request-id') ?? undefined,
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : undefined,
    findings: found ?? details ?? [],
    code: body.code,
    data: body.data,
    isOfWrite,
  })
}
