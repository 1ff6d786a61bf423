import { FILE_LISTS, isJsonObject, type PipelineFile } from './file.ts'

/**
 * Takes a parsed text as the document of a pipeline, as far as the pages need it. The server checks the rest.
 *
 * @returns the document, or the place that is not as it must be
 */
export function documentOf(
  value: unknown,
): { readonly document: PipelineFile } | { readonly wrong: string; readonly place: string } {
  if (!isJsonObject(value)) return { place: '', wrong: 'must be object' }
  for (const list of Object.keys(FILE_LISTS)) {
    const nodes = value[list]
    if (nodes === undefined) continue
    if (!Array.isArray(nodes)) return { place: list, wrong: 'must be array' }
    for (const [index, node] of nodes.entries()) {
      const place = `${list}/${index}`
      if (!isJsonObject(node)) return { place, wrong: 'must be object' }
      for (const member of ['name', 'type'])
        if (typeof node[member] !== 'string') return { place: `${place}/${member}`, wrong: 'must be string' }
      const { inputs, config } = node
      if (inputs !== undefined && !(Array.isArray(inputs) && inputs.every(each => typeof each === 'string')))
        return { place: `${place}/inputs`, wrong: 'must be array of strings' }
      if (config !== undefined && !isJsonObject(config))
        return { place: `${place}/config`, wrong: 'must be object' }
    }
  }
  return { document: value as unknown as PipelineFile }
}
