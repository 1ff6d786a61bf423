import { Command } from 'commander'
import { byteSize, grouped } from '../byte-size.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { dataFolder } from '../connection.ts'
import { inTime, taskProgress } from '../output/task-progress.ts'
import { type World, write } from '../world.ts'

const HELP = `
The data folder (WEIR_DATA_DIR, else ./weir-data) must be new or empty. Every file of the backup is
checked first: if one is missing or damaged, nothing is restored. Then start the service, or run
"weir verify" at once.

Exit codes: 0 done, 2 not done, 130 interrupted.

Examples:
  WEIR_DATA_DIR=/var/lib/weir weir restore /mnt/backups/weir-2026-01-31
  weir restore /mnt/backups/weir-2026-01-31 && weir verify && npm start`

export function restoreCommand(world: World): Command {
  return new Command('restore')
    .summary('fill an empty data folder from a backup')
    .description('Fill a new or empty data folder from a backup.')
    .argument('<folder>', 'folder of a complete backup')
    .option('--json', 'print the summary as one JSON object')
    .addHelpText('after', HELP)
    .action(async (folder: string, options: { json?: true }) => restoreFrom(folder, options, world))
}

async function restoreFrom(folder: string, options: { readonly json?: true }, world: World): Promise<void> {
  const { restore } = await import('../../operator/restore-installation.ts')
  const startMs = world.clock.monotonicMs()
  const target = dataFolder(world)
  const progress = await taskProgress(world)
  let bytes = 0
  const manifest = await restore(folder, target, {
    signal: world.stop,
    report: event => {
      if (event.type === 'read') {
        bytes = event.bytes
        // Each file is read twice: for the check and for the copy.
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
      if (world.stop.aborted)
        throw new CommandError(EXIT.interrupted, 'Interrupted before everything was restored.')
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
          : [
              'Its secrets are encrypted: set WEIR_SECRET_KEY to the key that was set when the backup was made.',
            ]),
        'The configuration and its known end are as old as the backup: tokens, keys and members that were',
        'revoked or deleted since then work again. Revoke and delete them again.',
        `Give it the settings of the original (WEIR_PARTITIONS=${partitions}). "weir verify" compares its store with its log;`,
        '"npm start" continues from there.',
      ].join('\n')
  await write(world.stdout, `${text}\n`)
}

/** Errors with their own sentence; other errors are the system's, which name the file. */
function sentence(error: unknown): unknown {
  if (
    !(error instanceof Error) ||
    !['BackupError', 'DataDirectoryError', 'SettingsError'].includes(error.name)
  )
    return error
  const text = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
  return new CommandError(EXIT.usage, text, { cause: error })
}
