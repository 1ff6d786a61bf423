#!/usr/bin/env node
// Plain JavaScript on purpose: whatever Node the machine has must be able to read this file. The program
// itself needs Node 24, which the project brings along as an npm package.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const NEEDED_MAJOR = 24

// Each statement of the embedded store holds a thread of the pool that the log writes with, too; the pool is made
// at its first use, so this is the place to say how large it is.
process.env.UV_THREADPOOL_SIZE ??= '16'

if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) {
  endWithLauncher()
  // Compiled code is kept for the next start, which takes a third less time by it; where nothing can be written, it
  // is compiled again. Not in the folder for temporary files: who else may write there could give us code to run.
  nodeModule.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/weir', import.meta.url)))
  const { main } = await import('../cli/program.ts')
  await main()
} else {
  runUnderOwnNode()
}

function runUnderOwnNode() {
  const node = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
  if (process.env.NODE_FROM_WEIR || !existsSync(node)) {
    process.stderr.write(
      `Weir needs Node ${NEEDED_MAJOR} or newer; this is ${process.versions.node}. ` +
        'Run "npm ci" in the project folder, which brings one along, or install a newer Node.\n',
    )
    process.exitCode = 2
    return
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // The fourth says to the child that we have gone, however that came about.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_FROM_WEIR: '1' },
  })
  // Ctrl+C reaches the child by the terminal, too: the child does its work once however often it is told.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => {
    process.stderr.write(`Weir's own Node at ${node} does not start: ${error.message}\n`)
    process.exitCode = 2
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
  })
}

/** Who ends the process that started us, also by kill -9, means us: we would hold the data folder unseen. */
function endWithLauncher() {
  if (!process.env.NODE_FROM_WEIR || !process.connected) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}
