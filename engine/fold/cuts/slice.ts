import { FIRST_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineCut } from './cut-kind.ts'

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
})
