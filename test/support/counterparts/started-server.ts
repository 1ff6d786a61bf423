import { setTimeout } from 'node:timers/promises'
import { startChild } from '../child.ts'
import { reapProcess, type TemporaryFolder } from '../kafka/reaper.ts'
import type { RunningCounterpart } from './counterpart.ts'

const LOOK_AGAIN_MS = 50
/** A loaded machine may need half a minute. */
const START_WITHIN_MS = 100_000
const SHOWN_LINES = 20

export interface ServerStart {
  readonly program: string
  readonly args: readonly string[]
  /** Base address. */
  readonly url: string
  /** Folder with its data, which is removed when it stops. */
  readonly data?: TemporaryFolder
}

/**
 * Starts a server and waits until it answers by HTTP, with any status.
 *
 * @throws Error with the last lines of its output when it ends before, or does not answer in time
 */
export async function startServer({ program, args, url, data }: ServerStart): Promise<RunningCounterpart> {
  const child = startChild(args, program)
  reapProcess(child.process)
  const stop = async () => {
    await child.kill()
    data?.remove()
  }
  const deadlineMs = performance.now() + START_WITHIN_MS
  while (!(await answers(url))) {
    const { exitCode, signalCode } = child.process
    const hasEnded = exitCode !== null || signalCode !== null
    if (hasEnded || performance.now() > deadlineMs) {
      await stop()
      throw new Error(`${program} ${hasEnded ? 'has ended' : 'does not answer'}:\n${await lastLines(child)}`)
    }
    await setTimeout(LOOK_AGAIN_MS)
  }
  return { url, stop }
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** @param child one that has ended */
async function lastLines(child: ReturnType<typeof startChild>): Promise<string> {
  const lines: string[] = []
  for (let line = await child.line(/^/); line !== null; line = await child.line(/^/)) lines.push(line)
  return lines.slice(-SHOWN_LINES).join('\n')
}
