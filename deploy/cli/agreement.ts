import { createInterface } from 'node:readline'
import { CommandError, EXIT } from './command-error.ts'
import { type World, write } from './world.ts'

/** Whether a person can read a question and answer it. */
export function canAsk({ stdin, stdout }: World): boolean {
  return stdin.isTTY === true && stdout.isTTY === true
}

/**
 * Asks a question that is answered with y or n; every other answer counts as no. @throws CommandError when it is
 * interrupted
 */
export async function isAgreed(question: string, world: World): Promise<boolean> {
  await write(world.stdout, `${question} [y/N] `)
  const lines = createInterface({ input: world.stdin })
  const close = () => lines.close()
  world.stop.addEventListener('abort', close)
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim())
  } finally {
    world.stop.removeEventListener('abort', close)
    lines.close()
  }
  if (world.stop.aborted) throw new CommandError(EXIT.interrupted, 'Stopped.')
  return false
}
