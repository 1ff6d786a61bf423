import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readSettings } from '../../deploy/settings/settings.ts'
import { preparedFolder } from '../support/counterparts/counterpart-at-hand.ts'
import { kubernetesTools, toolsIn } from '../support/counterparts/kubernetes-tools.ts'

const CHART = fileURLToPath(new URL('../../deploy/charts/weir', import.meta.url))
/** The oldest version that the chart names, and newer ones. */
const VERSIONS = ['v1.30.0', 'v1.34.0', 'v1.37.0']
const OPERATOR_KINDS = ['ServiceMonitor', 'PrometheusRule']
const SECRETS = { WEIR_SECRET_KEY: 'ab'.repeat(32) }

const CLUSTER = {
  mode: 'cluster',
  secretName: 'weir-secrets',
  kafka: { brokers: ['kafka-0.kafka:9092', 'kafka-1.kafka:9092'] },
  store: { url: 'http://clickhouse:8123' },
}
const PLACES = {
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'logs', operator: 'Exists' }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
}
const SCALING = { enabled: true, minReplicas: 2, maxReplicas: 4 }
const OPEN = {
  networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }], metricsFrom: [{ podSelector: {} }] },
  monitoring: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  },
  service: { type: 'LoadBalancer', port: 8080, annotations: { a: 'b' } },
}

/** Values that users may give. */
const VALUES: Readonly<Record<string, object>> = {
  defaults: {},
  'a single process with everything': {
    ...OPEN,
    nameOverride: 'logs',
    image: { repository: 'registry.example/weir', digest: `sha256:${'0'.repeat(64)}`, pullSecrets: ['pull'] },
    settings: { WEIR_RETENTION_DAYS: 60, WEIR_CHANGE_BYTES_PER_HOUR: 1_099_511_627_776, LOG_LEVEL: 'warn' },
    secretName: 'weir-secrets',
    persistence: { size: '1.5Ti', storageClass: 'fast' },
    single: PLACES,
    ingress: { enabled: true, apiHost: 'weir.example', ingestHost: 'logs.example', tlsSecretName: 'tls' },
    backup: { enabled: true, schedule: '@daily', storageClass: 'slow' },
  },
  'a cluster': CLUSTER,
  'a cluster with everything': {
    ...{ ...CLUSTER, ...OPEN },
    partitions: 8,
    settings: { KAFKA_TLS: 'on', KAFKA_REPLICATION: 3, WEIR_LOG_MAX_BYTES: '20GB' },
    ingest: { ...PLACES, autoscaling: { ...SCALING, targetCpuPercent: 60 } },
    engine: { ...PLACES, autoscaling: { ...SCALING, targetLagRecords: 1_000_000 } },
    api: PLACES,
    ingress: { enabled: true, ingestHost: 'logs.example' },
  },
  'a cluster without its extras': {
    ...CLUSTER,
    podDisruptionBudget: { enabled: false },
    api: { replicas: 1 },
  },
}

/** Values that the chart refuses, and what it says. */
const REFUSED: readonly [values: object, said: RegExp][] = [
  [{ mode: 'cluster', store: CLUSTER.store, secretName: 's' }, /mode cluster needs kafka\.brokers/],
  [{ ...CLUSTER, store: { url: '' } }, /mode cluster needs store\.url/],
  [{ ...CLUSTER, secretName: '' }, /mode cluster needs secretName/],
  [{ ...CLUSTER, mode: 'single' }, /are for mode cluster/],
  [{ ...CLUSTER, backup: { enabled: true } }, /backup\.enabled is for mode single/],
  [{ ...CLUSTER, engine: { replicas: 5 } }, /5 engines are more than the 4 partitions/],
  [
    { ...CLUSTER, ingest: { autoscaling: { ...SCALING, minReplicas: 9 } } },
    /minReplicas is above maxReplicas/,
  ],
  [{ ingress: { enabled: true } }, /ingress\.enabled needs/],
  [{ settings: { WEIR_RETENTION_DAYS: 0 } }, /WEIR_RETENTION_DAYS/],
  [{ settings: { WEIR_CONSOLE: false } }, /WEIR_CONSOLE/],
  [{ settings: { CLICKHOUSE_PASSWORD: 'x' } }, /CLICKHOUSE_PASSWORD/],
  [{ settings: { WEIR_NOTHING: 'x' } }, /WEIR_NOTHING/],
  [{ replicas: 2 }, /replicas/],
  [{ ...CLUSTER, kafka: { brokers: ['kafka'] } }, /brokers/],
]

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: Readonly<Record<string, unknown>>
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly envFrom?: unknown
  readonly securityContext: unknown
}

interface PodSpec {
  readonly enableServiceLinks?: boolean
  readonly securityContext?: { readonly runAsNonRoot?: boolean }
  readonly containers: readonly Container[]
}

const tools = preparedFolder(kubernetesTools)

describe.skipIf(tools === undefined)('the chart', () => {
  const { helm, schemas, definitions } = toolsIn(tools ?? '')
  const folder = mkdtempSync(join(tmpdir(), 'weir-chart-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Runs helm with some values. @returns what it printed */
  async function run(command: readonly string[], values: object): Promise<string> {
    const path = join(folder, 'values.json')
    writeFileSync(path, JSON.stringify(values))
    const environment = { PATH: process.env.PATH, HOME: folder }
    const { stdout } = await promisify(execFile)(helm, [...command, CHART, '--values', path], {
      env: environment,
    })
    return stdout
  }

  async function filled(values: object, version = VERSIONS[0] as string): Promise<Manifest[]> {
    const text = await run(['template', 'weir', '--kube-version', version], values)
    return parseAllDocuments(text)
      .map(document => document.toJS() as Manifest | null)
      .filter(manifest => manifest !== null)
  }

  test.each(Object.keys(VALUES))('passes the examination of helm with %s', async name => {
    expect(await run(['lint', '--strict'], VALUES[name] as object)).toContain('0 chart(s) failed')
  })

  test.each(Object.keys(VALUES))('makes objects that every version accepts, with %s', async name => {
    const validOperator = operatorSchemas(definitions)
    for (const version of VERSIONS) {
      const validate = schemasOf(join(schemas, `${version}-local-strict`))
      for (const manifest of await filled(VALUES[name] as object, version)) {
        const place = `${manifest.kind} ${manifest.metadata.name} for ${version}`
        const check = OPERATOR_KINDS.includes(manifest.kind) ? validOperator : validate
        expect(check(manifest), place).toEqual([])
      }
    }
  })

  test.each(VERSIONS)('would find a member that %s does not know', async version => {
    const [found] = (await filled({}, version)).filter(({ kind }) => kind === 'StatefulSet')
    const manifest = { ...(found as Manifest), spec: { ...found?.spec, replica: 1 } }
    expect(schemasOf(join(schemas, `${version}-local-strict`))(manifest)).toEqual([
      '/spec must NOT have additional properties',
    ])
  })

  test.each(Object.keys(VALUES))('gives processes settings that they accept, with %s', async name => {
    const specs = (await filled(VALUES[name] as object)).flatMap(podSpecsOf)
    expect(specs.length).toBeGreaterThan(0)
    for (const { containers } of specs)
      for (const { env, envFrom } of containers) {
        const given = Object.fromEntries(env.map(each => [each.name, each.value]))
        expect(() => readSettings({ ...given, ...(envFrom !== undefined && SECRETS) })).not.toThrow()
      }
  })

  test.each(Object.keys(VALUES))('lets no process do more than it needs, with %s', async name => {
    for (const spec of (await filled(VALUES[name] as object)).flatMap(podSpecsOf)) {
      expect(spec).toMatchObject({
        ...{ enableServiceLinks: false, automountServiceAccountToken: false },
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      for (const { securityContext } of spec.containers)
        expect(securityContext).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          capabilities: { drop: ['ALL'] },
        })
    }
  })

  test('has all kinds of objects', async () => {
    const kinds = new Set<string>()
    for (const values of Object.values(VALUES)) for (const { kind } of await filled(values)) kinds.add(kind)
    expect([...kinds].sort()).toEqual([
      ...['CronJob', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'NetworkPolicy'],
      ...['PersistentVolumeClaim', 'PodDisruptionBudget', 'PrometheusRule', 'Service', 'ServiceMonitor'],
      'StatefulSet',
    ])
  })

  test('has the alerts of the other ways to install', async () => {
    const [rule] = (await filled(OPEN)).filter(({ kind }) => kind === 'PrometheusRule')
    const path = new URL('../../deploy/prometheus/weir.rules.yml', import.meta.url)
    expect(rule?.spec).toEqual(parse(readFileSync(path, 'utf8')))
  })

  test.each(REFUSED)('refuses %j', async (values, said) => {
    await expect(filled(values)).rejects.toThrow(said)
  })
})

/** Specifications of the pods that an object starts. */
function podSpecsOf({ kind, spec }: Manifest): PodSpec[] {
  const template = (spec as { template?: { spec: PodSpec } } | undefined)?.template
  if (kind === 'CronJob')
    return [
      (spec as { jobTemplate: { spec: { template: { spec: PodSpec } } } }).jobTemplate.spec.template.spec,
    ]
  return template === undefined ? [] : [template.spec]
}

/** Checks an object by the published schemas of a version. The check returns its findings. */
function schemasOf(folder: string): (manifest: Manifest) => string[] {
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false })
  ajv.addSchema(read('_definitions.json'), '/api/_definitions.json')
  return manifest => {
    const [group, version] = manifest.apiVersion.includes('/')
      ? (manifest.apiVersion.split('/') as [string, string])
      : ['', manifest.apiVersion]
    const parts = [manifest.kind, group.split('.')[0] ?? '', version].filter(part => part !== '')
    const name = `${parts.join('-').toLowerCase()}.json`
    const check = ajv.getSchema(name) ?? ajv.addSchema({ ...read(name), $id: name }).getSchema(name)
    check?.(manifest)
    return (check?.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

/** Checks an object by the definitions of the Prometheus operator. */
function operatorSchemas(files: readonly string[]): (manifest: Manifest) => string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, logger: false })
  const checks = new Map(
    files.map(file => {
      // Patterns of JavaScript have no such flag.
      const text = readFileSync(file, 'utf8').replaceAll('(?i)', '')
      const { spec } = parse(text) as {
        spec: { names: { kind: string }; versions: { schema: { openAPIV3Schema: object } }[] }
      }
      return [spec.names.kind, ajv.compile(spec.versions[0]?.schema.openAPIV3Schema ?? {})] as const
    }),
  )
  return manifest => {
    const check = checks.get(manifest.kind)
    check?.(manifest)
    return (check?.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}
