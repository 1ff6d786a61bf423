import Type, { type TProperties, type TSchema } from 'typebox'
import type { PauseEffect } from '../../schemas/http/pipeline-api.ts'
import { named } from '../../schemas/named.ts'

/** The `meta` of a `/v3` answer (pipeline API, section 1.2; configuration and account API, section 17.1). */
export interface Meta {
  readonly pk: string
  readonly type?: string
  readonly links: object
  /** Absent of single records of accounts; null of lists without pages. */
  readonly page?: { readonly next: string | null; readonly previous: null } | null
  /** Whether a write changed anything, where that is not plain. */
  readonly changed?: boolean
  /** What a pause means for lines; of nothing else. */
  readonly effects?: readonly PauseEffect[]
}

export interface Envelope<Data> {
  readonly meta: Meta
  readonly data: Data
}

export const NO_FURTHER_PAGES = { next: null, previous: null }

export function envelope<Data>(meta: Meta, data: Data): Envelope<Data> {
  return { meta, data }
}

const metaMembers = {
  pk: Type.String(),
  type: Type.Optional(Type.String()),
  links: Type.Unsafe<object>({ type: 'object' }),
  page: Type.Optional(Type.Unknown()),
}

const PlainMeta = named('Meta', Type.Object(metaMembers))

/** For the API document. `more`: further members of `meta`. */
export function EnvelopeOf<Data extends TSchema>(data: Data, more: TProperties = {}) {
  const meta = Object.keys(more).length === 0 ? PlainMeta : Type.Object({ ...metaMembers, ...more })
  return Type.Object({ meta, data })
}

const ErrorBody = named(
  'V3Error',
  Type.Object({
    status: Type.Integer(),
    code: Type.String(),
    message: Type.String(),
    error: Type.String({ description: 'The same as message.' }),
    errors: Type.Optional(Type.Array(Type.Object({ instancePath: Type.String(), message: Type.String() }))),
  }),
)

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
