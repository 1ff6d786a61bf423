import Type, { type TSchema } from 'typebox'

/** The `meta` of a `/v3` answer (pipeline API, section 1.2; configuration and account API, section 17.1). */
export interface Meta {
  readonly pk: string
  readonly type?: string
  readonly links: object
  /** Absent of single records of accounts; null of lists without pages. */
  readonly page?: { readonly next: string | null; readonly previous: null } | null
  /** Whether a write changed anything, where that is not plain. */
  readonly changed?: boolean
}

export interface Envelope<Data> {
  readonly meta: Meta
  readonly data: Data
}

export const NO_FURTHER_PAGES = { next: null, previous: null }

export function envelope<Data>(meta: Meta, data: Data): Envelope<Data> {
  return { meta, data }
}

/** For the API document. */
export function EnvelopeOf<Data extends TSchema>(data: Data) {
  return Type.Object({
    meta: Type.Object({
      pk: Type.String(),
      type: Type.Optional(Type.String()),
      links: Type.Unsafe<object>({ type: 'object' }),
      page: Type.Optional(Type.Unknown()),
    }),
    data,
  })
}

const ErrorBody = Type.Object({
  status: Type.Integer(),
  code: Type.String(),
  message: Type.String(),
  error: Type.String({ description: 'The same as message.' }),
  errors: Type.Optional(Type.Array(Type.Object({ instancePath: Type.String(), message: Type.String() }))),
})

/** Errors of `/v3`, for the API document. */
export const V3_ERROR_REPLIES = {
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  404: ErrorBody,
  409: ErrorBody,
  429: ErrorBody,
  503: ErrorBody,
}
