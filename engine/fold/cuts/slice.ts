import { FIRST_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineCut } from './cut-kind.ts'

const INSERTS_PER_SECOND = 16

/** Length of the time slices of a partition; its worker writes the cut. The checkpoint contains the length itself. */
export const sliceCut = defineCut<number>({
  kind: 'slice',
  behaviour: FIRST_BEHAVIOUR,
  address: 'none',
  parse: text => Number(text),
  accountOf: () => undefined,

  apply(sliceMs, _cut, { settings }) {
    settings.sliceMs = sliceMs
    return undefined
  },

  /** The more partitions, the longer their slices: the store receives at most about 16 inserts per second. */
  ofTopic({ name, partitions }) {
    if (partitions <= INSERTS_PER_SECOND) return undefined
    const payload = String(Math.round((partitions * 1000) / INSERTS_PER_SECOND))
    return { kind: 'slice', entity: name, version: partitions, payload }
  },
})
