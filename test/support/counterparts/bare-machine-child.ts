import { counterpartAtHand } from './counterpart-at-hand.ts'
import { COUNTERPARTS } from './counterparts.ts'

/** Asks for every counterpart, twice, and prints the names of those that are at hand. */
for (const _ of ['first', 'second']) {
  const found = COUNTERPARTS.filter(counterpart => counterpartAtHand(counterpart) !== undefined)
  console.log(found.map(({ name }) => name).join(' '))
}
