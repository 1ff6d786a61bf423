import Type from 'typebox'

/** Parameters of the paths below a pipeline. */
export const PipelinePath = Type.Object({ pipelineId: Type.String() })
