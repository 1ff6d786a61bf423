import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

let line: CommandLine
let folder: string
let server: Server | undefined

beforeEach(async () => {
  line = await commandLine()
  folder = mkdtempSync(join(tmpdir(), 'weir-console-'))
})
afterEach(async () => {
  await line.close()
  server?.close()
  server = undefined
  rmSync(folder, { recursive: true, force: true })
})

/** A socket in the data folder, as a server has it. */
async function serverThat(status: number, body: object): Promise<void> {
  const answering = createServer((request, response) => {
    response.writeHead(request.url === '/console' && request.method === 'POST' ? status : 500)
    response.end(JSON.stringify(body))
  })
  server = answering
  await new Promise<void>(listening => answering.listen(join(folder, 'operator.sock'), listening))
}

test('weir console prints the link of the running server', async () => {
  const link = 'http://127.0.0.1:8080/console/sign-in#code=abc'
  await serverThat(200, { link })
  const { code, out, err } = await line.run(['console'], { env: { WEIR_DATA_DIR: folder } })
  expect([code, out, err]).toEqual([0, `${link}\n`, ''])
})

test('weir console says why there is no link', async () => {
  await serverThat(409, { message: 'this server makes no sign-in links' })
  const { code, err } = await line.run(['console'], { env: { WEIR_DATA_DIR: folder } })
  expect([code, err]).toEqual([3, 'weir: No link: this server makes no sign-in links.\n'])
})

test('weir console without a server says how to start one', async () => {
  const { code, err } = await line.run(['console'], { env: { WEIR_DATA_DIR: folder } })
  expect([code, err]).toEqual([3, expect.stringContaining('No server runs on')])
})
