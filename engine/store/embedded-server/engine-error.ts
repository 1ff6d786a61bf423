/** An error in the words of the engine, as it reaches a client: what the store reads out of them is the number. */
export function engineError(code: number, type: string, message: string): Error {
  return new Error(`Code: ${code}. DB::Exception: ${message} (${type})`)
}

/** A statement that was not begun, and may be tried again. */
export function turnedAway(message: string): Error {
  return engineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', message)
}

export function notImplemented(message: string): Error {
  return engineError(48, 'NOT_IMPLEMENTED', message)
}
