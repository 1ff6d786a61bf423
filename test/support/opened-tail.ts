import type { JsonObject } from '../../schemas/json.ts'
import type { RunningWeir } from './running-weir.ts'

/** A live tail that a client reads. */
export interface OpenedTail {
  /** The text of every message so far. */
  readonly messages: string[]
  /** Every line so far. */
  readonly lines: JsonObject[]
  /** Number of lines reported as left out so far. */
  dropped(): number
  /** Waits without a limit until this many lines have arrived. @returns them */
  until(count: number): Promise<JsonObject[]>
  /** Close code of the connection. */
  ended(): Promise<number>
  close(): void
}

/** Opens a tail by Node's own WebSocket. */
export async function openTail(
  { credentials }: Pick<RunningWeir, 'credentials'>,
  query: Readonly<Record<string, string>> = {},
  token = credentials.accessToken,
): Promise<OpenedTail> {
  const url = `${credentials.apiUrl.replace('http', 'ws')}/ws/tail?${new URLSearchParams(query)}`
  // Its options go beyond those of browsers.
  const socket = new WebSocket(url, { headers: { authorization: `Token ${token}` } } as never)
  const messages: string[] = []
  const lines: JsonObject[] = []
  let dropped = 0
  let wake = () => {}
  socket.addEventListener('message', ({ data }) => {
    messages.push(data as string)
    const { e, p } = JSON.parse(data as string) as { e: string; p: JsonObject[] & { dropped: number } }
    if (e === 'p') lines.push(...p)
    else dropped += p.dropped
    wake()
  })
  const closed = new Promise<number>(resolve => {
    socket.addEventListener('close', ({ code }) => {
      resolve(code)
      wake()
    })
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the WebSocket was refused')))
  })
  return {
    messages,
    lines,
    dropped: () => dropped,
    until: async count => {
      while (lines.length < count) {
        if (socket.readyState === socket.CLOSED)
          throw new Error(`the tail was closed after ${lines.length} lines: ${await closed}`)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      return lines
    },
    ended: () => closed,
    close: () => socket.close(),
  }
}
