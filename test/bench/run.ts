import { globSync } from 'node:fs'

/**
 * Runs the benchmarks of this folder, or those whose names are given. A benchmark exports `run(print)` and prints a
 * ratio to a floor that it measured in the same run; nothing here passes or fails.
 *
 * usage: npm run bench [-- NAME…]
 */
const wanted = process.argv.slice(2)

for (const file of globSync('*.ts', { cwd: import.meta.dirname }).sort()) {
  const name = file.replace(/\.ts$/, '')
  const module =
    file === 'run.ts' || (wanted.length > 0 && !wanted.includes(name)) ? {} : await import(`./${file}`)
  const run = (module as { run?: (print: (line: string) => void) => Promise<void> }).run
  if (run === undefined) continue
  console.log(`\n${name}`)
  await run(line => console.log(`  ${line}`))
}
