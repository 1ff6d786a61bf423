/** A world that does not come to rest: it repeats the same steps, or waits for ever. */
export class EndlessWorld extends Error {
  override readonly name = 'EndlessWorld'
}
