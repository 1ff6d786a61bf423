import { ownHosts } from '../../../api/pipeline/log-hosts.ts'
import {
  ALIASES,
  HOST_SPELLINGS,
  TYPE,
} from '../../../engine/nodes/destinations/log-analysis/wire-options.ts'
import type { FileNode, PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'

const OWN_STORE: readonly string[] = [TYPE, ...ALIASES]

/**
 * The file without the address of the server that it comes from, so that lines go to the own store of any server that takes it.
 *
 * @param serverUrl address at which the server was asked
 */
export function portableFile(file: PipelineFile, serverUrl: string): PipelineFile {
  const isOwn = ownHosts(new URL(serverUrl).host)
  return { ...file, destinations: file.destinations?.map(node => withoutOwnHost(node, isOwn)) ?? [] }
}

function withoutOwnHost(node: FileNode, isOwn: (host: string) => boolean): FileNode {
  if (!OWN_STORE.includes(node.type) || node.config === undefined) return node
  const entries = Object.entries(node.config)
  const isOwnHost = ([name, value]: readonly [string, unknown]) =>
    (HOST_SPELLINGS as readonly string[]).includes(name) && typeof value === 'string' && isOwn(value)
  return { ...node, config: Object.fromEntries(entries.filter(entry => !isOwnHost(entry))) }
}
