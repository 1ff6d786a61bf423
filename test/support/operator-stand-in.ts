import { createServer } from 'node:http'
import { join } from 'node:path'

export interface OperatorStandIn {
  readonly requests: { readonly path: string; readonly body: string }[]
  close(): Promise<void>
}

/** A server at the operator's socket of a data folder that answers one thing: events, or a refusal. */
export async function operatorStandIn(
  dataFolder: string,
  answer: readonly object[] | { readonly status: number; readonly message: string },
): Promise<OperatorStandIn> {
  const requests: { path: string; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', text => {
      body += text
    })
    request.on('end', () => {
      requests.push({ path: request.url ?? '', body })
      if ('status' in answer) {
        response.writeHead(answer.status).end(JSON.stringify({ message: answer.message }))
        return
      }
      for (const event of answer) response.write(`${JSON.stringify(event)}\n`)
      response.end()
    })
  })
  await new Promise<void>(resolve => server.listen({ path: join(dataFolder, 'operator.sock') }, resolve))
  return { requests, close: () => new Promise(resolve => server.close(() => resolve())) }
}
