import Type from 'typebox'
import { named } from '../../named.ts'

export const SpreadRecord = named(
  'SpreadRecord',
  Type.Object({
    account: Type.String(),
    enabled: Type.Boolean({ description: 'Requested state.' }),
    phase: Type.Union([
      Type.Literal('off'),
      Type.Literal('turning_on'),
      Type.Literal('on'),
      Type.Literal('turning_off'),
    ]),
    partitions: Type.Integer(),
    partitions_done: Type.Integer({
      description: 'Number of partitions that have applied the newest change.',
    }),
  }),
)

export const SpreadChange = named(
  'SpreadChange',
  Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false }),
)
