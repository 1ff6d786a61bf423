/** Binary logarithm of the units that the search of the runtime compares per step: 16. */
const COMPARED_PER_STEP_BITS = 4
/** Binary logarithm of the units that the search by Knuth, Morris and Pratt reads per step: 2. */
const READ_PER_STEP_BITS = 1
const NOT_FOUND = -1

/**
 * First or last place of a text in another one, in UTF-16 units, in time linear in both.
 *
 * @param from first place: not before it; last place: not behind it
 * @param spend takes the steps, before the search
 * @returns -1 when there is none
 */
export function placeIn(
  text: string,
  sought: string,
  { from, isLast }: { readonly from: number; readonly isLast: boolean },
  spend: (steps: number) => void,
): number {
  if (sought.length > text.length) return NOT_FOUND
  // The runtime's own search is faster, except for texts that are made to slow it down.
  const bound = ((text.length - sought.length + 1) * (sought.length + 1)) / 2 ** COMPARED_PER_STEP_BITS
  const steps = (text.length + sought.length) / 2 ** READ_PER_STEP_BITS
  spend(1 + Math.floor(Math.min(bound, steps)))
  if (bound <= steps || sought === '')
    return isLast ? text.lastIndexOf(sought, from) : text.indexOf(sought, from)
  return isLast ? lastPlace(text, sought, from) : firstPlace(text, sought, from)
}

function firstPlace(text: string, sought: string, from: number): number {
  const borders = bordersOf(sought)
  let held = 0
  for (let at = from; at < text.length; at++) {
    held = heldAfter(text.charCodeAt(at), sought, held, borders)
    if (held === sought.length) return at + 1 - held
  }
  return NOT_FOUND
}

function lastPlace(text: string, sought: string, from: number): number {
  const borders = bordersOf(sought)
  let held = 0
  let place = NOT_FOUND
  const end = Math.min(text.length, from + sought.length)
  for (let at = 0; at < end; at++) {
    held = heldAfter(text.charCodeAt(at), sought, held, borders)
    if (held < sought.length) continue
    place = at + 1 - held
    held = borders[held - 1] as number
  }
  return place
}

/** Length of the longest beginning of the sought text that ends with this unit. @param held that before the unit */
function heldAfter(unit: number, sought: string, held: number, borders: Int32Array): number {
  let length = held
  while (length > 0 && sought.charCodeAt(length) !== unit) length = borders[length - 1] as number
  return sought.charCodeAt(length) === unit ? length + 1 : length
}

/** Length of the longest proper prefix that is also a suffix, for each prefix of the text. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  for (let at = 1; at < text.length; at++)
    borders[at] = heldAfter(text.charCodeAt(at), text, borders[at - 1] as number, borders)
  return borders
}
