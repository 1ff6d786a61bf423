import Type from 'typebox'
import { named } from '../../named.ts'
import { EnvelopeOf } from '../envelope.ts'
import { V3_ERROR_REPLIES } from '../error-replies.ts'

const Options = Type.Unsafe<object>({ type: 'object' })

const NodeTypeError = named(
  'NodeTypeError',
  Type.Object({ code: Type.String(), meaning: Type.String({ description: 'Cause of the error.' }) }),
)

const NodeTypeExample = named(
  'NodeTypeExample',
  Type.Object({
    title: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Null for an example that shows nothing but options.',
    }),
    user_config: Options,
    outputs: Type.Array(Type.Object({ name: Type.String(), label: Type.String() }), {
      description: 'Named outputs of a node with these options; empty: only the default output, or none.',
    }),
  }),
)

export const NodeType = named(
  'NodeType',
  Type.Object({
    kind: Type.Enum(['source', 'transform', 'sink']),
    type: Type.String({ description: 'Value of `type` in a node.' }),
    aliases: Type.Array(Type.String(), { description: 'Other names of the type.' }),
    summary: Type.String(),
    runs: Type.Boolean({
      description:
        'Whether this version runs nodes of the type. Others are stored, and a pipeline with them cannot be published.',
    }),
    feature: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Feature of the account without which a node of the type cannot be published.',
    }),
    config: Type.Unsafe<object>({
      type: 'object',
      description:
        'JSON Schema of `user_config`, complete in itself. Options with `writeOnly` contain secrets.',
    }),
    outputs: Type.Enum(['none', 'default', 'by_options'], {
      description: 'by_options: options of the node give its outputs and their names.',
    }),
    errors: Type.Array(NodeTypeError, { description: 'Errors that its nodes can report.' }),
    examples: Type.Array(NodeTypeExample, { description: 'Options as they can be sent.' }),
  }),
)
export type NodeType = Type.Static<typeof NodeType>

export const NODE_TYPES = {
  summary: 'List the types of nodes with their options',
  description: 'Node types are equal for all accounts. Their options have the form of the API document.',
  tags: ['pipelines'],
  response: { 200: EnvelopeOf(Type.Array(NodeType)), ...V3_ERROR_REPLIES },
}
