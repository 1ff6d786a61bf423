import Type from 'typebox'
import { named } from '../../named.ts'

/** State variables of a pipeline (pipeline API, appendix C), which its scripts read. */

/** Maximum number of variables of a pipeline. (Our choice.) */
const MAX_STATE_VARIABLES = 16
const WORD = '^[a-z][a-z0-9_]{0,31}$'
const NullableTime = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const Word = (description: string) => Type.String({ pattern: WORD, description })

const PipelineState = named(
  'PipelineState',
  Type.Object(
    { operational_state: Word('State of operation, such as normal or incident.') },
    {
      additionalProperties: Type.String({ pattern: WORD }),
      propertyNames: { pattern: WORD },
      maxProperties: MAX_STATE_VARIABLES,
      description:
        'Values by name. Names and values are words of lower-case letters, digits and underscores.',
    },
  ),
)

export const StateVariableQuery = named(
  'StateVariableQuery',
  Type.Object(
    {
      pipeline_id: Type.Optional(
        Type.String({
          description: 'Id of the pipeline; it may also be sent in a JSON body. Absent: all pipelines.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)

/** All variables: those that are left out are removed. */
export const StateVariableWrite = named(
  'StateVariableWrite',
  Type.Object(
    { pipeline_id: Type.String({ description: 'Id of the pipeline.' }), state: PipelineState },
    { additionalProperties: false },
  ),
)
export type StateVariableWrite = Type.Static<typeof StateVariableWrite>

export const StateVariableRecord = named(
  'StateVariableRecord',
  Type.Object({
    id: Type.String({ description: 'Id of the record: that of the pipeline.' }),
    account_id: Type.String(),
    pipeline_id: Type.String(),
    state: PipelineState,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: NullableTime,
  }),
)
export type StateVariableRecord = Type.Static<typeof StateVariableRecord>
