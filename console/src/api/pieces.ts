/** Yields the lines of an answer as they arrive, such as the pieces of NDJSON. */
export async function* linesOf(answer: Response): AsyncGenerator<string> {
  if (answer.body === null) return
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = `${rest}${value}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines.filter(line => line !== '')
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  if (rest !== '') yield rest
}
