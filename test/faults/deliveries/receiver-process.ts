import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReceiverMode, TakenBody } from './taken-body.ts'

/**
 * A receiver that synchronises what it takes before it answers. It sends its port as soon as it listens, and gets its mode as messages.
 *
 * usage: receiver-process.ts FILE PORT
 */
const [file, port] = process.argv.slice(2) as [string, string]

let mode: ReceiverMode = 'well'
/** Ids of documents that it has. */
const documents = new Set<string>()

// A line that a kill has cut was not answered.
if (existsSync(file)) {
  const text = readFileSync(file, 'utf8')
  const end = text.lastIndexOf('\n') + 1
  truncateSync(file, Buffer.byteLength(text.slice(0, end)))
  for (const line of text.slice(0, end).split('\n').slice(0, -1)) {
    const { documents: ids } = JSON.parse(line) as TakenBody
    for (const id of ids) documents.add(id)
  }
}
const opened = openSync(file, 'a')

function take(body: TakenBody): void {
  writeSync(opened, `${JSON.stringify(body)}\n`)
  fdatasyncSync(opened)
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return // The sender was killed.
  }
  if (mode === 'hangs') return
  if (mode === 'away') {
    response.writeHead(503).end()
    return
  }
  const answer = taken(request, Buffer.concat(chunks).toString())
  if (mode === 'deaf') request.socket.destroy()
  else answer(response)
})

/** Takes a body. @returns what answers it */
function taken({ url = '', headers }: IncomingMessage, text: string): (response: ServerResponse) => unknown {
  const values = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  const lineOf = ({ line }: Record<string, unknown>) => String(line)
  if (!url.startsWith('/_bulk')) {
    const key = String(headers['idempotency-key'] ?? url)
    take({ key, lines: values.map(lineOf), documents: [] })
    return response => response.writeHead(200).end()
  }
  const items = Array.from({ length: values.length / 2 }, (_, item) => {
    const { create } = values[2 * item] as { readonly create: { readonly _id: string } }
    return { id: create._id, line: lineOf(values[2 * item + 1] as Record<string, unknown>) }
  })
  const created = items.filter(({ id }) => !documents.has(id))
  const ids = created.map(({ id }) => id)
  for (const id of ids) documents.add(id)
  take({ key: '', lines: created.map(({ line }) => line), documents: ids })
  const isNew = new Set(ids)
  const statuses = items.map(({ id }) => ({ create: { status: isNew.has(id) ? 201 : 409 } }))
  const answer = JSON.stringify({ errors: created.length < items.length, items: statuses })
  return response => response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
}

process.on('message', (next: ReceiverMode) => {
  mode = next
})
process.on('disconnect', () => {
  closeSync(opened)
  process.exit()
})
server.listen(Number(port), '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
