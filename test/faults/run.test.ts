import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const RUN = new URL('./run.ts', import.meta.url).pathname

function faults(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUN, ...args], { encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

test('--help prints only the usage, with the meaning of a kill', () => {
  const { code, stdout, stderr } = faults('--help')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('usage: npm run faults')
  expect(stdout).toContain('faults of kind kill (100): kill -9 at an instant')
})

const REFUSED: readonly (readonly [args: string[], sentence: string])[] = [
  [['--fast'], "Unknown option '--fast'"],
  [['--only', 'fire'], '--only must be one of kill, pause, disk, rename, tail, config, budget, processors'],
  [['--kills', '0'], '--kills must be a whole number, 1 or more, not "0"'],
  [['--seed', '1e30'], '--seed must be a whole number, 0 or more, not "1e30"'],
  [['--seed', ''], '--seed must be a whole number, 0 or more, not ""'],
  [['--longest-pause', '1'], '--longest-pause must be a whole number, 2 or more, not "1"'],
  [['--faults', '5'], '--faults means nothing without --cluster'],
  [['--cluster', '--faults', '0'], '--faults must be a whole number, 1 or more, not "0"'],
  [['--cluster', '--only', 'fire'], '--only "fire" is in none of: kill -9 engine'],
  [['--deliveries', '--only', 'kill'], '--only means nothing with --deliveries'],
  [['--deliveries', '--cluster'], '--deliveries means nothing with --cluster'],
  [['--cluster', '--kills', '5'], '--kills means nothing with --cluster'],
]

test.each(REFUSED)('%j is refused with a sentence and the usage', (args, sentence) => {
  const { code, stdout, stderr } = faults(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(sentence)
  expect(stderr).toContain('usage: npm run faults')
})
