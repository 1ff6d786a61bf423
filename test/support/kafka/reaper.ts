import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Pipe to a small program that removes everything a test process has started or created, even after `kill -9`. When the
 * pipe breaks, the program kills and removes everything on its list.
 */
let pipe: Socket | undefined

function tell(line: string): void {
  pipe ??= startReaper()
  pipe.write(`${line}\n`)
}

function startReaper(): Socket {
  const program = join(import.meta.dirname, 'reaper-program.ts')
  // It has its own process group: Ctrl-C must not end it before it has done its work.
  const reaper = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  reaper.unref()
  const socket = reaper.stdin as Socket
  socket.unref()
  return socket
}

/** Kills the process with this one. */
export function reapProcess(child: ChildProcess): void {
  if (child.pid === undefined) return // It could not be started; the caller hears of it by its event.
  tell(`+process ${child.pid}`)
  // The system may give a free process id to another process.
  child.once('exit', () => tell(`-process ${child.pid}`))
}

export interface TemporaryFolder {
  readonly path: string
  remove(): void
}

/** An empty folder that is removed with this process at the latest. */
export function temporaryFolder(prefix: string, parent = tmpdir()): TemporaryFolder {
  const path = mkdtempSync(join(parent, prefix))
  tell(`+folder ${path}`)
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
      tell(`-folder ${path}`)
    },
  }
}
