import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'
import { LineLists, LineRecord } from './export-api.ts'

/** Bounds of the number of lines before and after a line, and its default. */
export const CONTEXT_LINES = { min: 0, max: 1000, usual: 50 } as const

const LineContext = named(
  'LineContext',
  Type.Object({
    before: Type.Array(LineRecord, { description: 'The nearest lines before it, oldest first.' }),
    line: LineRecord,
    after: Type.Array(LineRecord, { description: 'The nearest lines after it, oldest first.' }),
    more_before: Type.Boolean({ description: 'Whether further lines precede them.' }),
    more_after: Type.Boolean({ description: 'Whether further lines follow them.' }),
  }),
)

/** Schemas for the API document: the handlers validate by themselves. */
export const LINE = {
  summary: 'Get a line',
  tags: ['search'],
  params: Type.Object({ lineId: Type.String({ description: '`_id` of the line.' }) }),
  response: { 200: EnvelopeOf(LineRecord), ...V3_ERROR_REPLIES },
}

const Count = Type.Optional(
  Type.Integer({ minimum: CONTEXT_LINES.min, maximum: CONTEXT_LINES.max, default: CONTEXT_LINES.usual }),
)

export const CONTEXT = {
  summary: 'Get a line with the lines before and after it',
  description:
    'The lines are those of the account in the order of time and id, as in a search; lines of one time are told apart by their ids.',
  tags: ['search'],
  querystring: Type.Object({
    line_id: Type.String({ description: '`_id` of the line.' }),
    before: Count,
    after: Count,
    hosts: LineLists.hosts,
    apps: LineLists.apps,
  }),
  response: { 200: EnvelopeOf(LineContext), ...V3_ERROR_REPLIES },
}
