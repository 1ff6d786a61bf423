import { keep, keptValue } from '../api/kept.ts'

/** Name under which the browser keeps the samples of a pipeline. */
export function samplesKey(pipelineId: string): string {
  return `samples ${pipelineId}`
}

/** Samples and further ones behind them, one per line. */
export function joinedSamples(samples: string, further: string): string {
  return [samples.trimEnd(), further].filter(each => each !== '').join('\n')
}

/** Adds an event to the samples of a pipeline. */
export async function addSample(
  pipelineId: string,
  { message, metadata }: { readonly message: unknown; readonly metadata: unknown },
): Promise<void> {
  const samples = (await keptValue<string>(samplesKey(pipelineId))) ?? ''
  const sample = JSON.stringify({ message, metadata })
  await keep(samplesKey(pipelineId), joinedSamples(samples, sample))
}
