import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ServedCommandLine, servedCommandLine } from '../../../test/support/served-command-line.ts'

let weir: ServedCommandLine
beforeEach(async () => {
  weir = await servedCommandLine()
})
afterEach(() => weir.close())

const SHOP = `# Lines of the shop.
weir: pipeline/1
title: Shop
sources:
  - name: lines
    type: log-analysis-ingestion
processors:
  - name: split
    type: route
    inputs: [lines]
    config:
      conditionals:
        - label: hot
          conditional:
            expressions: [{ field: .t, str_operator: greater, value: 200 }]
  - name: calm
    type: throttle
    inputs: [split.hot]
    config: { threshold: 2, window: 1s }
destinations:
  - name: store
    type: blackhole
    inputs: [calm, split._unmatched]
`

async function file(text: string, name = 'shop.yaml'): Promise<string> {
  const path = join(weir.line.folder, name)
  await writeFile(path, text)
  return path
}

describe('with a server', () => {
  const run = (...args: string[]) => weir.run(['pipeline', ...args])
  const atTerminal = (typed: string, ...args: string[]) =>
    weir.run(['pipeline', ...args], { terminal: true, typed })

  test('apply shows the changes, makes them, and finds none the next time', async () => {
    const path = await file(SHOP)
    const { code, out, err } = await run('apply', path)
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(
      /^\+ pipeline "Shop"\n(\+ \w+ [a-z-]+ \w+\n){4}Changed Shop\. To run it: weir pipeline publish [0-9a-f-]{36}\n$/,
    )
    expect((await run('diff', path)).code).toBe(0)
    const again = await run('apply', path)
    expect(again.code).toBe(0)
    expect(again.out).toMatch(/^Nothing to change: Shop agrees with the file\. To run it:/)
  })

  test('apply takes several files, folders, and standard input', async () => {
    const folder = join(weir.line.folder, 'pipelines')
    await mkdir(join(folder, 'empty'), { recursive: true })
    await file(SHOP, 'pipelines/shop.yaml')
    await file(SHOP.replace('title: Shop', 'title: Audit'), 'pipelines/audit.yml')
    await file('not a pipeline', 'pipelines/README.md')
    const { code, out, err } = await run('apply', folder)
    expect([code, err]).toEqual([0, `${folder}/audit.yml:\n${folder}/shop.yaml:\n`])
    expect(out.match(/^Changed \w+/gm)).toEqual(['Changed Audit', 'Changed Shop'])
    expect((await run('diff', folder, join(folder, 'shop.yaml'))).code).toBe(0)
    expect((await run('test', folder)).out).toMatch(/audit\.yml\n.*\n.*shop\.yaml\n.*\n0 passed, 0 failed\n$/)

    const given = { typed: SHOP.replace('title: Shop', 'title: Third') }
    const fromInput = await weir.run(['pipeline', 'apply', '-'], given)
    expect([fromInput.code, fromInput.out]).toEqual([0, expect.stringContaining('Changed Third.')])
    const none = await run('apply', join(folder, 'empty'))
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('has no files of pipelines')])
  })

  test('an invalid file does not keep apply from the others, and decides the exit code', async () => {
    const wrong = await file(SHOP.replace('type: route', 'type: rout'), 'a.yaml')
    const right = await file(SHOP, 'b.yaml')
    const { code, out, err } = await run('apply', wrong, right)
    expect([code, out]).toEqual([2, expect.stringContaining('Changed Shop.')])
    expect(err).toContain('a.yaml:9: /processors/0/type')
  })

  test('apply --publish deploys it, once', async () => {
    const path = await file(SHOP)
    const { code, out } = await run('apply', path, '--publish')
    expect(code).toBe(0)
    expect(out).toMatch(/\nChanged Shop\.\nPublished Shop at 20\S+Z\.\n$/)
    const again = await run('apply', path, '--publish')
    expect(again.code).toBe(0)
    expect(again.out).toMatch(/^Nothing to change: .*\nNothing to publish: Shop has not changed/)
  })

  test('apply --publish reports with its line what a publication refuses', async () => {
    const parsed = `  - { name: parsed, type: parse, inputs: [lines], config: { field: .line, parser: parse_regex,
      options: { pattern: a } } }`
    const path = await file(
      SHOP.replace('processors:\n', `processors:\n${parsed}\n`).replace('[calm,', '[parsed, calm,'),
    )
    const { code, out, err } = await run('apply', path, '--publish')
    expect([code, err]).toEqual([
      2,
      `${path}:9: /processors/0/config/options/pattern must have a named group, such as (?<name>[a-z]+): the named groups are the result\n`,
    ])
    expect(out).toMatch(/Changed Shop\.\n$/)
    expect((await run('test', path)).err).toBe(err)
  })

  test('diff ends with 1 and shows the difference as long as there is one', async () => {
    const path = await file(SHOP)
    await run('apply', path)
    await file(SHOP.replace('threshold: 2', 'threshold: 5'))
    const { code, out } = await run('diff', path)
    expect([code, out]).toEqual([1, '~ transform throttle calm\n    ~ /user_config/threshold 2 → 5\n'])
  })

  test.each([
    ['n\n', 1, 'Nothing was changed.\n'],
    ['\n', 1, 'Nothing was changed.\n'],
    ['', 1, 'Nothing was changed.\n'],
    ['Yes\n', 0, /Changed Shop/],
    ['y\n', 0, /Changed Shop/],
  ])('apply at a terminal asks first: %j', async (typed, expected, said) => {
    const { code, out } = await atTerminal(typed, 'apply', await file(SHOP))
    expect(code).toBe(expected)
    expect(out).toContain('+ transform throttle calm\n')
    expect(out.split('Apply these changes? [y/N] ')[1]).toMatch(said)
    expect((await run('list')).out.includes('Shop')).toBe(expected === 0)
  })

  test('apply --yes at a terminal does not ask, and neither does apply without changes', async () => {
    const path = await file(SHOP)
    expect((await atTerminal('', 'apply', path, '--yes')).out).not.toContain('Apply these changes?')
    expect((await atTerminal('', 'apply', path)).out).toMatch(/^Nothing to change/)
  })

  test.each(['apply', 'diff'])('%s of an invalid file reports each finding with its line', async command => {
    const path = await file(
      SHOP.replace('threshold: 2', 'threshold: 0').replace('[split.hot]', '[split.cold]'),
    )
    const { code, out, err } = await run(command, path)
    expect([code, out]).toEqual([2, ''])
    expect(err.split('\n').sort()).toEqual([
      '',
      `${path}:18: /processors/1/inputs/0 must be one of split._unmatched, split.hot`,
      `${path}:19: /processors/1/config/threshold must be >= 1`,
    ])
    const broken = await run(command, await file('weir: [', 'broken.yaml'))
    expect(broken.code).toBe(2)
    expect(broken.err).toMatch(/broken\.yaml: must be YAML: .*\(line 1\)\n/)
  })

  test('a refusal for another reason is reported as by other commands', async () => {
    const path = await file(`${SHOP}id: 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11\n`)
    const { code, err } = await run('apply', path)
    expect(code).toBe(2)
    expect(err).toMatch(/^weir: .* answered 404 ENOTFOUND: The pipeline does not exist\.\n$/)
    const missing = await run('diff', join(weir.line.folder, 'none.yaml'))
    expect(missing.code).toBe(2)
    expect(missing.err).toMatch(/^weir: .*none\.yaml does not exist\.\n$/)
  })

  test('export prints a file that apply accepts unchanged, also as JSON', async () => {
    await run('apply', await file(SHOP))
    const yaml = await run('export', 'Shop')
    expect(yaml.code).toBe(0)
    expect(yaml.out).toContain('    inputs:\n      - split.hot\n')
    expect((await run('diff', await file(yaml.out))).code).toBe(0)
    const json = await run('export', 'Shop', '--json')
    expect(JSON.parse(json.out).processors[1]).toMatchObject({ name: 'calm', inputs: ['split.hot'] })
    expect((await run('diff', await file(json.out, 'shop.json'))).code).toBe(0)
    expect((await run('export', 'Nope')).code).toBe(2)
  })

  test('export prints a file that another server takes: without id and own address, unless the id is wanted', async () => {
    const stored = `type: log-analysis\n    config: { host: ${JSON.stringify(new URL(weir.env.WEIR_URL as string).host)}, query: { hostname: shop } }`
    await run('apply', await file(SHOP.replace('type: blackhole', stored)))
    const [pipeline] = JSON.parse((await run('list', '--json')).out)
    const exported = JSON.parse((await run('export', 'Shop', '--json')).out)
    expect(exported).not.toHaveProperty('id')
    expect(exported.destinations[0].config).toMatchObject({ query: { hostname: 'shop' } })
    expect(exported.destinations[0].config).not.toHaveProperty('host')
    expect(JSON.parse((await run('export', 'Shop', '--json', '--id')).out).id).toBe(pipeline.id)
  })
})

describe('weir pipeline test', () => {
  const run = (...args: string[]) => weir.line.run(['pipeline', 'test', ...args], { env: {} })
  const TESTS = `tests:
  - name: two a second go through
    events:
      - { message: { t: 201, n: 1 } }
      - { message: { t: 202, n: 2 } }
      - { message: { t: 203, n: 3 } }
      - { message: { t: 20 } }
      - { at: 2026-01-01T00:00:01Z, message: { t: 204, n: 4 } }
    expect:
      calm: { count: 3, dropped: 1 }
      split: { count: 5 }
      split.hot: { count: 4 }
      split._unmatched: [{ t: 20 }]
      store: { messages: [{ n: 1, t: 201 }, { n: 2, t: 202 }, { t: 20 }, { n: 4, t: 204 }] }
      lines: { count: 5, dropped: 0 }
`

  test('runs without a server and lists the passed tests', async () => {
    const path = await file(SHOP + TESTS)
    const { code, out, err } = await run(path)
    expect([err, out, code]).toEqual([
      '',
      `${path}\n  ok      two a second go through\n1 passed, 0 failed\n`,
      0,
    ])
    expect(weir.line.service.requests).toEqual([])
  })

  test('shows the differences of a failed test, and continues', async () => {
    const failing = TESTS.replace('{ count: 3, dropped: 1 }', '{ count: 4, dropped: 0 }')
      .replace('[{ t: 20 }]', '[{ t: 21 }, { t: 22 }]')
      .replace('{ n: 2, t: 202 }, ', '')
    const path = await file(SHOP + failing)
    const { code, out } = await run(path, await file(SHOP + TESTS, 'good.yaml'))
    expect(code).toBe(1)
    expect(out.split('\n').slice(1, -4)).toEqual([
      '  failed  two a second go through',
      '            calm: 3 events instead of 4',
      '            calm: 1 dropped events instead of 0',
      '            split._unmatched: 1 events instead of 2',
      '            split._unmatched: messages',
      '              ~ /0/t 21 → 20',
      '              - /1 {"t":22}',
      '            store: 4 events instead of 3',
      '            store: messages',
      '              ~ /1/t 20 → 202',
      '              + /1/n 2',
      '              - /2/n 4',
      '              ~ /2/t 204 → 20',
      '              + /3 {"t":204,"n":4}',
    ])
    expect(out).toMatch(/good\.yaml\n {2}ok .*\n1 passed, 1 failed\n$/)
  })

  test('an invalid file is 2, with the line of each finding, and the other files run', async () => {
    const path = await file(SHOP.replace('threshold: 2', 'threshold: 0') + TESTS)
    const { code, out, err } = await run(path, await file(SHOP + TESTS, 'good.yaml'))
    expect([code, err]).toEqual([2, `${path}:19: /processors/1/config/threshold must be >= 1\n`])
    expect(out).toMatch(/good\.yaml\n {2}ok .*\n1 passed, 0 failed\n$/)
  })

  test('a node that this version does not run cannot be tested', async () => {
    const path = await file(`${SHOP.replace('type: blackhole', 'type: elasticsearch-of-tomorrow')}${TESTS}`)
    expect((await run(path)).err).toContain(':22: /destinations/0/type must be equal to one of')
  })

  test('a file without tests passes', async () => {
    const path = await file(SHOP)
    expect((await run(path)).out).toBe(`${path}\n  no tests\n0 passed, 0 failed\n`)
  })

  test('a file without tests whose script cannot run is 2', async () => {
    const script = "      script: 'function endless(message) { while (true) {} }'"
    const path = await file(
      SHOP.replace('type: throttle', 'type: js-script').replace(
        '    config: { threshold: 2, window: 1s }',
        `    config:\n${script}`,
      ),
    )
    const { code, out, err } = await run(path)
    expect([code, out]).toEqual([2, '0 passed, 0 failed\n'])
    expect(err).toContain('script cannot run')
  })

  test('metadata, failed events and errors can be expected', async () => {
    const text = (expected: string) => `weir: pipeline/1
title: T
sources: [{ name: a, type: log-analysis-ingestion }]
processors:
  - name: measured
    type: event-to-metric
    inputs: [a]
    config:
      { metric_name: n, metric_kind: absolute, metric_type: gauge, value: { value_type: field, value: .n } }
destinations: [{ name: end, type: blackhole, inputs: [measured] }]
tests:
  - name: only numbers
    events:
      - { message: { n: 1 }, metadata: { zone: eu } }
      - { message: { n: one } }
      - { message: {} }
    expect: { measured: ${expected} }
`
    const right = '{ metadata: [{ zone: eu }], failed: 2, errors: [E_EVENT_TO_METRIC_FAILED, E_NOT_FOUND] }'
    expect((await run(await file(text(right)))).out).toContain('1 passed, 0 failed')
    const { out } = await run(await file(text('{ metadata: [{}, {}], failed: 0, errors: [E_NOT_FOUND] }')))
    expect(out.split('\n').slice(2, -2)).toEqual([
      '            measured: 1 events instead of 2',
      '            measured: 2 failed events instead of 0',
      '            measured: metadata',
      '              + /0/zone "eu"',
      '              - /1 {}',
      '            measured: errors',
      '              ~ /0 "E_NOT_FOUND" → "E_EVENT_TO_METRIC_FAILED"',
      '              + /1 "E_NOT_FOUND"',
    ])
  })

  test('a given time, metadata and source belong to the event', async () => {
    const path = await file(`weir: pipeline/1
title: T
sources:
  - { name: a, type: log-analysis-ingestion }
  - { name: b, type: log-analysis-ingestion }
processors:
  - name: only
    type: filter
    inputs: [a, b]
    config:
      action: drop
      conditional: { expressions: [{ field: metadata.zone, str_operator: equal, value: eu }] }
destinations: [{ name: end, type: blackhole, inputs: [only] }]
tests:
  - name: by zone
    events:
      - { source: a, message: one, metadata: { zone: eu }, at: 1767225600000 }
      - { source: b, message: two, timestamp: 2025-01-01T00:00:00+01:00 }
    expect: { a: [one], b: [two], end: [two], only: { dropped: 1 } }
`)
    const { code, out } = await run(path)
    expect(out).toContain('1 passed, 0 failed')
    expect(code).toBe(0)
  })
})
