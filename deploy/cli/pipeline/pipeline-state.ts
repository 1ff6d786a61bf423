import { Command } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { printable } from '../table.ts'
import { type World, write } from '../world.ts'
import { client, data, pipelineId } from './pipeline-access.ts'

const PATH = '/v3/pipeline/state-variable'
const MAIN = 'operational_state'

const HELP = `
Scripts read the variables with getPipelineStateVariable("operational_state"). A change holds from the next event
on, and needs no publication. A value without a name is that of operational_state, which is normal at first.
An empty value removes a variable.

Examples:
  weir pipeline state Shop
  weir pipeline state Shop incident
  weir pipeline state Shop normal colour=red`

interface JsonOption {
  readonly json?: true
}

interface StateRecord extends JsonObject {
  pipeline_id: string
  state: Record<string, string>
}

export function pipelineStateCommand(world: World): Command {
  return new Command('state')
    .description('Show or set the state variables of a pipeline.')
    .argument('<id>', 'id or title of the pipeline')
    .argument('[values...]', 'values to set, each as name=value')
    .option('--json', 'print the state variables as one JSON object')
    .addHelpText('after', HELP)
    .action(async (id: string, values: string[], options: JsonOption) => state(id, values, options, world))
}

async function state(
  wanted: string,
  values: readonly string[],
  { json }: JsonOption,
  world: World,
): Promise<void> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  const [record] = (await data(api, `${PATH}?pipeline_id=${encodeURIComponent(id)}`)) as [StateRecord]
  let { state: present } = record
  if (values.length > 0) {
    const body = { pipeline_id: id, state: changed(present, values) }
    const answer = await api.json(`${PATH}/${encodeURIComponent(id)}`, { method: 'PUT', body })
    present = (answer as { data: StateRecord }).data.state
  }
  const lines = Object.entries(present).map(([name, value]) => printable(`${name}=${value}`))
  await write(world.stdout, json ? `${jsonText(present)}\n` : `${lines.join('\n')}\n`)
}

function changed(state: Readonly<Record<string, string>>, values: readonly string[]): Record<string, string> {
  const variables = new Map(Object.entries(state))
  for (const text of values) {
    const at = text.indexOf('=')
    const name = at === -1 ? MAIN : text.slice(0, at)
    const value = text.slice(at + 1)
    if (value === '') variables.delete(name)
    else variables.set(name, value)
  }
  return Object.fromEntries(variables)
}
