import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const LISTENS = `
const server = require('node:net').createServer(() => {}).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () =>
  process.send(server.address().port))`
const ANSWERS_WITHIN_MS = 300
const MOST_CONNECTIONS = 64

/** A port of this machine that neither accepts a connection nor refuses it, as a packet filter that drops packets. */
export interface SilentListener {
  readonly port: number
  close(): void
}

/** A paused process behind a full queue of connections: the system answers no further connection. */
export async function silentListener(): Promise<SilentListener> {
  const child = spawn(process.execPath, ['-e', LISTENS], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [port] = (await once(child, 'message')) as [number]
  child.kill('SIGSTOP')
  const waiting: Socket[] = []
  const close = () => {
    for (const socket of waiting) socket.destroy()
    child.kill('SIGKILL')
  }
  for (let tried = 0; tried < MOST_CONNECTIONS; tried++) {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => {})
    waiting.push(socket)
    const answered = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>(done => setTimeout(done, ANSWERS_WITHIN_MS, false)),
    ])
    if (!answered) return { port, close }
  }
  close()
  throw new Error('the queue of connections has no end')
}
