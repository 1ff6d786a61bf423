import Type from 'typebox'
import { named } from '../named.ts'

/** Answers of the routes for operators. */

export const Healthy = named('Healthy', Type.Object({ status: Type.Literal('ok') }))

export const Ready = named('Ready', Type.Object({ status: Type.Literal('ready') }))

export const NotReady = named(
  'NotReady',
  Type.Object({
    status: Type.Literal('not ready'),
    reasons: Type.Array(Type.String({ description: 'A sentence for each' })),
  }),
)
