import { Command } from 'commander'
import { byteSize, grouped } from '../byte-size.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { dataFolder } from '../connection.ts'
import { type World, write } from '../world.ts'
import { inTime, operatorProgress } from './operator-progress.ts'

const HELP = `
The data folder (WEIR_DATA_DIR, else ./weir-data) must be new or empty. Every file of the backup is
checked first: when one is missing or damaged, nothing is restored. Then start the service, or run
"weir verify" at once.

Exit codes: 0 done, 2 not done, 130 interrupted.

Examples:
  WEIR_DATA_DIR=/var/lib/weir weir restore /mnt/backups/weir-2026-01-31
  weir restore /mnt/backups/weir-2026-01-31 && weir verify && npm start`

export function restoreCommand(world: World): Command {
  return new Command('restore')
    .summary('fill an empty data folder from a backup')
    .description('Fill a data folder that is new or empty from a backup.')
    .argument('<folder>', 'what "weir backup" has filled')
    .option('--json', 'print the summary as one JSON object')
    .addHelpText('after', HELP)
    .action(async (folder: string, options: { json?: true }) => restoreFrom(folder, options, world))
}

async function restoreFrom(folder: string, options: { readonly json?: true }, world: World): Promise<void> {
  const { restore } = await import('../../operator/restore-installation.ts')
  const startMs = world.clock.monotonicMs()
  const target = dataFolder(world)
  const progress = await operatorProgress(world)
  let bytes = 0
  const manifest = await restore(folder, target, {
    signal: world.stop,
    report: event => {
      if (event.type === 'read') {
        bytes = event.bytes
        // Each file is read twice: to check it, then to copy it.
        progress.begin(2 * bytes)
      } else {
        const step = event.bytes <= bytes ? 'checked' : 'copied'
        progress.update(
          event.bytes,
          `${step} ${byteSize(event.bytes % Math.max(1, bytes))} of ${byteSize(bytes)}`,
        )
      }
    },
  })
    .catch(error => {
      if (world.stop.aborted) throw new CommandError(EXIT.interrupted, 'Ended before all was restored.')
      throw sentence(error)
    })
    .finally(() => progress.stop())
  const tookMs = world.clock.monotonicMs() - startMs
  const { madeAt, version, files, hasSecretKey, partitions } = manifest
  const text = options.json
    ? JSON.stringify({
        directory: target,
        madeAt,
        version,
        files: files.length,
        bytes,
        seconds: tookMs / 1000,
      })
    : [
        `Restored the backup of ${madeAt} (${grouped(files.length)} files, ${inTime(bytes, tookMs)}) to ${target}.`,
        ...(hasSecretKey
          ? []
          : ['Its secrets are sealed: set WEIR_SECRET_KEY to the key that was set when it was made.']),
        'The configuration, and what is known of its end, are as old as the backup: tokens, keys and members that were',
        'revoked or deleted since then work again. Revoke and delete them anew.',
        `Give it the settings of the original (WEIR_PARTITIONS=${partitions}). "weir verify" compares its store with its log;`,
        '"npm start" goes on from there.',
      ].join('\n')
  await write(world.stdout, `${text}\n`)
}

/** Errors with a sentence of their own; others are the system's, which name the file. */
function sentence(error: unknown): unknown {
  if (
    !(error instanceof Error) ||
    !['BackupError', 'DataDirectoryError', 'SettingsError'].includes(error.name)
  )
    return error
  const text = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
  return new CommandError(EXIT.usage, text, { cause: error })
}
