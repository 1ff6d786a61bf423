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
 * Schema of an answer, for the API document.
 *
 * @param more further members of `meta`
 */
export function EnvelopeOf<Data extends TSchema>(data: Data, more: TProperties = {}) {
  const meta = Object.keys(more).length === 0 ? Meta : Type.Object({ ...metaMembers, ...more })
  return Type.Object({ meta, data })
}
