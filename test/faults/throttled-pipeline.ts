import { DEAR_EXPRESSION } from '../simulation/recipe.ts'
import type { RunningWeir } from '../support/running-weir.ts'
import type { ThrottleRule } from './plain-throttle.ts'
import type { ShippedPipeline } from './shipped-pipeline.ts'

/**
 * ingest -> throttle by app, lines of the level `kept` excluded -> own store: the pipeline that the lines are shipped through.
 * Before the throttle, the others may be compared with an expression that costs more than the account has.
 */
export class ThrottledPipeline implements ShippedPipeline {
  readonly #weir: RunningWeir
  #pipelinePath: string | undefined
  #source = ''
  #throttle = ''
  #look = ''
  #published: ThrottleRule | undefined

  constructor(weir: RunningWeir) {
    this.#weir = weir
  }

  get throttle(): string {
    return this.#throttle
  }

  get entrance(): string {
    return this.#look === '' ? this.#throttle : this.#look
  }

  async publish(rule: ThrottleRule): Promise<void> {
    // The dice sometimes give the same rule twice, and an unchanged pipeline cannot be published.
    if (rule.limit === this.#published?.limit && rule.windowMs === this.#published.windowMs) return
    if (this.#pipelinePath === undefined) await this.#create(rule)
    else {
      const node = { ...this.#node(rule), title: `at most ${rule.limit}` }
      await this.#weir.send('PUT', `${this.#pipelinePath}/transform/${this.#throttle}`, node)
    }
    await this.#weir.send('POST', `${this.#pipelinePath}/publish`, {})
    this.#published = rule
  }

  async #create(rule: ThrottleRule): Promise<void> {
    const path = `/v3/pipeline/${await this.#add('/v3/pipeline', { title: 'limited' })}`
    this.#source = await this.#add(`${path}/source`, { type: 'log-analysis-ingestion' })
    if (rule.looks === true) this.#look = await this.#add(`${path}/transform`, this.#lookNode())
    this.#throttle = await this.#add(`${path}/transform`, this.#node(rule))
    await this.#add(`${path}/sink`, { type: 'mezmo', inputs: [this.#throttle], user_config: {} })
    this.#pipelinePath = path
  }

  #lookNode() {
    const expressions = [
      { field: '.level', str_operator: 'equal', value: 'limited' },
      { field: '.line', str_operator: 'regex_match', value: DEAR_EXPRESSION },
    ]
    const conditional = { expressions, logical_operation: 'AND' }
    return { type: 'filter', inputs: [this.#source], user_config: { action: 'drop', conditional } }
  }

  #node({ limit, windowMs }: ThrottleRule) {
    return {
      type: 'throttle',
      inputs: [this.#look === '' ? this.#source : this.#look],
      user_config: {
        threshold: limit,
        window_ms: windowMs,
        key_field: '.app',
        exclude: { expressions: [{ field: '.level', str_operator: 'equal', value: 'kept' }] },
      },
    }
  }

  async #add(path: string, body: object): Promise<string> {
    return (await this.#weir.send<{ data: { id: string } }>('POST', path, body)).data.id
  }
}
