import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import type { BackupSummary } from '../../operator/backup-installation.ts'
import type { BackupManifest } from '../../operator/backup-manifest.ts'
import { byteSize, grouped } from '../byte-size.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { inTime, taskProgress } from '../output/task-progress.ts'
import { type World, write } from '../world.ts'
import { runOperatorTask } from './operator-task.ts'

/** Time after an interruption within which the copies are removed, or the last file is written. */
const OUTCOME_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 50

const HELP = `
The folder must be new or empty, and outside of the data folder. The server writes it, so its user
needs access. It gets the log, the embedded store, the configuration and the credentials of one
moment, while the server continues. If the server does not run, the command opens the data folder
itself. An interrupted backup has no backup.json, and "weir restore" refuses it.

Exit codes: 0 done, 2 not done, 130 interrupted.

Examples:
  weir backup /mnt/backups/weir-2026-01-31
  weir backup "/mnt/backups/$(date +%F)" --json`

export function backupCommand(world: World): Command {
  return new Command('backup')
    .summary('copy log, store and configuration into a folder, while the server runs')
    .description('Copy the log, the store and the configuration of one moment into a folder.')
    .argument('<folder>', 'new or empty folder')
    .option('--json', 'print the summary as one JSON object')
    .addHelpText('after', HELP)
    .action(async (folder: string, options: { json?: true }) => backup(folder, options, world))
}

async function backup(folder: string, options: { readonly json?: true }, world: World): Promise<void> {
  const startMs = world.clock.monotonicMs()
  const directory = resolve(folder)
  const wasThere = (await manifestIn(directory)) !== undefined
  const summary = await summaryOf(directory, world).catch(async error => {
    const isInterruption = error instanceof CommandError && error.exitCode === EXIT.interrupted
    const late = isInterruption && !wasThere ? await wholeAfterAll(directory, world) : undefined
    if (late === undefined) throw error
    return late
  })
  const tookMs = world.clock.monotonicMs() - startMs
  const text = options.json
    ? JSON.stringify({ ...summary, seconds: tookMs / 1000 })
    : [
        `Backed up ${grouped(summary.files)} files, ${inTime(summary.bytes, tookMs)}, into ${summary.directory}.`,
        summary.hasSecretKey
          ? 'It contains the credentials and the secret key: protect it accordingly.'
          : 'It contains the credentials: protect it. It does not contain the key of WEIR_SECRET_KEY: keep a copy of that key.',
      ].join('\n')
  await write(world.stdout, `${text}\n`)
}

async function summaryOf(directory: string, world: World): Promise<BackupSummary> {
  const progress = await taskProgress(world)
  let summary: BackupSummary | undefined
  let total = 0
  try {
    await runOperatorTask({ task: 'backup', directory }, world, event => {
      if (event.type === 'held') {
        total = event.bytes
        progress.begin(total)
      }
      if (event.type === 'copied')
        progress.update(event.bytes, `${byteSize(event.bytes)} of ${byteSize(total)}`)
      if (event.type === 'backed-up') summary = event.summary
    })
  } finally {
    progress.stop()
  }
  if (summary === undefined) throw new CommandError(EXIT.usage, 'The backup ended without a result.')
  return summary
}

/**
 * Checks a backup after an interruption that the server may have noticed too late: the folder is then either empty or a
 * complete backup.
 */
async function wholeAfterAll(directory: string, world: World): Promise<BackupSummary | undefined> {
  const untilMs = world.clock.monotonicMs() + OUTCOME_WITHIN_MS
  while (isFilled(directory) && world.clock.monotonicMs() < untilMs) {
    const manifest = await manifestIn(directory)
    if (manifest !== undefined) {
      const { files, hasSecretKey } = manifest
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      return { directory, files: files.length, bytes, hasSecretKey }
    }
    await world.clock.sleep(LOOK_EVERY_MS)
  }
  return undefined
}

function isFilled(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0
  } catch {
    return false
  }
}

/** The manifest, or undefined for an incomplete backup. */
async function manifestIn(directory: string): Promise<BackupManifest | undefined> {
  const { BackupError, readManifest } = await import('../../operator/backup-manifest.ts')
  try {
    return readManifest(directory)
  } catch (error) {
    if (error instanceof BackupError) return undefined
    throw error
  }
}
