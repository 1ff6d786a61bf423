import Type, { type TProperties, type TSchema } from 'typebox'
import type { PauseEffect } from '../../schemas/http/pipeline-api.ts'
import { named } from '../../schemas/named.ts'
import { nullable } from '../../schemas/nullable.ts'

/** Position of an answer in a list of pages. */
interface Page {
  readonly next: string | null
  readonly previous: null
}

/** The `meta` of a `/v3` answer (pipeline API, section 1.2; configuration and account API, section 17.1). */
export interface Meta {
  readonly pk: string
  readonly type?: string
  readonly links: object
  /** Absent for single records of accounts; null for lists without pages. */
  readonly page?: Page | null
  /** Whether a write changed anything, if this is not obvious. */
  readonly changed?: boolean
  /** Effects of a pause on lines; absent for other answers. */
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
  page: Type.Optional(
    nullable<Page>({
      type: 'object',
      required: ['next', 'previous'],
      properties: { next: { type: ['string', 'null'] }, previous: { type: 'null' } },
    }),
  ),
}

const PlainMeta = named('Meta', Type.Object(metaMembers))

/**
 * Schema of an answer, for the API document.
 *
 * @param more further members of `meta`
 */
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
    error: Type.String({ description: 'Copy of message.' }),
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
