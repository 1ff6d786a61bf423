/** A world has not come to rest: something goes round in a circle, or waits for ever. */
export class EndlessWorld extends Error {
  override readonly name = 'EndlessWorld'
}
