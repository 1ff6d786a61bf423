import Type from 'typebox'
import { named } from '../named.ts'

/** Answers of the routes for operators. */

export const Healthy = named('Healthy', Type.Object({ status: Type.Literal('ok') }))

/** Question of `/readyz`. */
export const ReadinessQuery = named(
  'ReadinessQuery',
  Type.Object({
    for: Type.Optional(
      Type.Enum(['ingest'], {
        description:
          'ingest: only whether this process accepts lines now, as a balancer in front of ingestion asks',
      }),
    ),
  }),
)

export const Ready = named('Ready', Type.Object({ status: Type.Literal('ready') }))

export const NotReady = named(
  'NotReady',
  Type.Object({
    status: Type.Literal('not ready'),
    reasons: Type.Array(Type.String({ description: 'A sentence for each' })),
  }),
)
