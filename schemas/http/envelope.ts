import Type, { type TProperties, type TSchema } from 'typebox'
import { named } from '../named.ts'
import { nullable } from '../nullable.ts'

/** Position of an answer in a list of pages. */
export interface Page {
  readonly next: string | null
  readonly previous: null
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

export const Meta = named('Meta', Type.Object(metaMembers))

/**
 * Schema of an answer, for the API document. Its name is made from that of its data.
 *
 * @throws RangeError when the data is neither a schema with a name nor a list of such
 */
export function EnvelopeOf<Data extends TSchema>(data: Data) {
  return named(`${nameOf(data)}Envelope`, Type.Object({ meta: Meta, data }))
}

/** Schema of an answer whose `meta` has further members. */
export function EnvelopeWith<Data extends TSchema>(name: string, data: Data, more: TProperties) {
  return named(name, Type.Object({ meta: Type.Object({ ...metaMembers, ...more }), data }))
}

function nameOf(data: TSchema & { readonly $id?: string; readonly items?: TSchema }): string {
  if (data.$id !== undefined) return data.$id
  if (data.items !== undefined) return `${nameOf(data.items)}List`
  throw new RangeError('the data of an envelope needs a name')
}
