import type { Command } from 'commander'
import { apiClient } from '../api-client.ts'
import type { ExitCode } from '../command-error.ts'
import { apiAddress } from '../connection.ts'
import { note, type World } from '../world.ts'
import { resourceCommand } from './resource-command.ts'
import { ACCOUNT } from './resources.ts'

/** Accounts are suspended and resumed instead of deleted. */
export function accountCommand(world: World, finish: (code: ExitCode) => void): Command {
  const command = resourceCommand(ACCOUNT, world, finish)
  for (const [verb, about, done] of [
    ['suspend', 'Suspend an account: its credentials become invalid, and its data is kept.', 'Suspended'],
    ['resume', 'Resume a suspended account: its credentials become valid again.', 'Resumed'],
  ] as const)
    command
      .command(verb)
      .description(about)
      .argument('<account>', 'id of the account')
      .action(async (account: string) => {
        const path = `${ACCOUNT.path}/${encodeURIComponent(account)}/${verb}`
        await apiClient(apiAddress(world), world).json(path, { method: 'POST', body: {} })
        await note(world, `${done} ${account}.`)
      })
  return command
}
