/** An error in the engine's words, in the form that reaches a client; the store reads its number. */
export function engineError(code: number, type: string, message: string): Error {
  return new Error(`Code: ${code}. DB::Exception: ${message} (${type})`)
}

/** A statement that was not started, and can be tried again. */
export function turnedAway(message: string): Error {
  return engineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', message)
}

export function notImplemented(message: string): Error {
  return engineError(48, 'NOT_IMPLEMENTED', message)
}
