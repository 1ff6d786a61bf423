/** A body that no lines can be read from, or too many of them. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
  readonly fault: 'unreadable' | 'no lines' | 'too large'

  /** @param fault `no lines`: the member `lines` is at fault */
  constructor(fault: BodyError['fault'], message: string) {
    super(message)
    this.fault = fault
  }
}

/** Refuses lines that would cost more than a body of the longest length. */
export function tooLarge(): BodyError {
  return new BodyError('too large', 'Request Entity Too Large')
}
