/** A body from which lines cannot be read, or with too many of them. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
  readonly fault: 'unreadable' | 'no lines' | 'too large'

  /** @param fault `no lines`: the member `lines` is wrong */
  constructor(fault: BodyError['fault'], message: string) {
    super(message)
    this.fault = fault
  }
}

/** Refuses lines that would cost more than a body of the maximum length. */
export function tooLarge(): BodyError {
  return new BodyError('too large', 'Request Entity Too Large')
}
