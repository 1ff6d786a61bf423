import Type, { type TSchema } from 'typebox'
import { named } from '../named.ts'

export const V1Error = named(
  'V1Error',
  Type.Object({
    details: Type.Optional(
      Type.Array(Type.Object({ message: Type.String(), key: Type.String() }), {
        description: 'Every finding of a validation.',
      }),
    ),
    error: Type.String(),
    code: Type.String(),
    status: Type.Literal('error'),
  }),
)

export const V3Error = named(
  'V3Error',
  Type.Object({
    status: Type.Integer(),
    code: Type.String(),
    message: Type.String(),
    error: Type.String({ description: 'Copy of message.' }),
    errors: Type.Optional(Type.Array(Type.Object({ instancePath: Type.String(), message: Type.String() }))),
  }),
)

/** Errors of a resource, with their common body. */
function errorReplies<Body extends TSchema>(body: Body) {
  return { 400: body, 401: body, 403: body, 404: body, 409: body, 429: body, 503: body }
}

/** Errors of `/v1` and `/v2`, for the API document. */
export const V1_ERROR_REPLIES = errorReplies(V1Error)

/** Errors of `/v3`, for the API document. */
export const V3_ERROR_REPLIES = errorReplies(V3Error)

const { 404: _, ...common } = V1_ERROR_REPLIES

/** Errors of ingestion, for the API document. */
export const INGEST_ERROR_REPLIES = { ...common, 413: V1Error, 415: V1Error, 508: V1Error }
