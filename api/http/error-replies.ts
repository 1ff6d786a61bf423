import Type from 'typebox'
import { named } from '../../schemas/named.ts'

const ErrorBody = named(
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

/** Errors of `/v1` and `/v2`, for the API document. */
export const V1_ERROR_REPLIES = {
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  404: ErrorBody,
  409: ErrorBody,
  429: ErrorBody,
  503: ErrorBody,
}

const { 404: _, ...common } = V1_ERROR_REPLIES

/** Errors of ingestion, for the API document. */
export const INGEST_ERROR_REPLIES = { ...common, 413: ErrorBody, 415: ErrorBody }
