import type { TapMessage } from '../../schemas/http/pipeline/tap-api.ts'
import type { RunningWeir } from './running-weir.ts'

/** A tap that a client reads, by either way. */
export interface OpenedTap {
  /** The next message; undefined at the end. */
  next(): Promise<TapMessage | undefined>
  /** End of the connection: true, or the close code of the WebSocket. */
  ended(): Promise<unknown>
  close(): void
}

/** Opens a tap by server-sent events. */
export async function tapByEvents({ credentials }: RunningWeir, path: string): Promise<OpenedTap> {
  const leave = new AbortController()
  const response = await fetch(`${credentials.apiUrl}${path}`, {
    headers: { authorization: `Token ${credentials.accessToken}` },
    signal: leave.signal,
  })
  if (response.headers.get('content-type') !== 'text/event-stream; charset=utf-8')
    throw new Error(`${response.status} ${await response.text()}`)
  const messages = eventMessages(response)
  return {
    next: async () => (await messages.next()).value,
    ended: async () => (await messages.next()).done,
    close: () => leave.abort(),
  }
}

async function* eventMessages({ body }: Response): AsyncGenerator<TapMessage, undefined> {
  let text = ''
  for await (const piece of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop() as string
    for (const block of blocks) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      if (data === undefined) continue
      const message = JSON.parse(data) as TapMessage
      if (message.type !== name) throw new Error(`the event ${name} holds a message ${message.type}`)
      yield message
    }
  }
}

/** Opens a tap by Node's own WebSocket. */
export async function tapBySocket({ credentials }: RunningWeir, path: string): Promise<OpenedTap> {
  const headers = { authorization: `Token ${credentials.accessToken}` }
  // Its options go beyond those of browsers.
  const socket = new WebSocket(`${credentials.apiUrl.replace('http', 'ws')}${path}`, { headers } as never)
  const arrived: (TapMessage | undefined)[] = []
  let wake = () => {}
  const arrive = (message: TapMessage | undefined) => {
    arrived.push(message)
    wake()
  }
  const closed = new Promise<number>(resolve => {
    socket.addEventListener('close', ({ code }) => {
      arrive(undefined)
      resolve(code)
    })
  })
  socket.addEventListener('message', ({ data }) => arrive(JSON.parse(data) as TapMessage))
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the WebSocket was refused')))
  })
  return {
    next: async () => {
      while (arrived.length === 0)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      return arrived.shift()
    },
    ended: () => closed,
    close: () => socket.close(),
  }
}

/** The text of the line that an event shows; any other message as it is. */
export function lineOf(message: TapMessage | undefined): unknown {
  if (message?.type !== 'event' || !('event' in message)) return message
  return (message.event.message as { line: string }).line
}
