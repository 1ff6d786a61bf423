import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Steps } from '../../../engine/steps.ts'
import { inTurns } from '../../../engine/turns/loop-turns.ts'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import { PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import { ImportedFile } from '../../../schemas/http/pipeline/revision-api.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import { askerOf } from '../../auth/permission.ts'
import { envelope } from '../../http/envelope.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { validatorCompiler } from '../../http/validation.ts'
import { whileConnected } from '../account-queue.ts'
import { dryRunQuery, onlyParameters } from '../act-queries.ts'
import { ONE_PIPELINE } from '../links.ts'
import { pipelineRecord } from '../records.ts'
import { type FileFormat, parsingFile } from './file-text.ts'
import type { PipelineFiles } from './pipeline-files.ts'

const TYPES: Readonly<Record<FileFormat, string>> = {
  yaml: 'application/yaml; charset=utf-8',
  json: 'application/json; charset=utf-8',
}
const tags = ['pipelines']
/** The API document contains the long schema only once. */
const SameFile = Type.Unsafe<unknown>({ type: 'object', description: 'As JSON is for the import' })
const SENT = { 'application/json': { schema: PipelineFile }, 'application/yaml': { schema: SameFile } }
const ANSWERED = { 'application/yaml': { schema: SameFile }, 'application/json': { schema: SameFile } }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Export and import of a pipeline as a file; the wire contract has no such route. An export needs the same right as a
 * change, because it contains the secrets of nodes in clear.
 */
export const fileRoutes: FastifyPluginAsyncTypebox<{ readonly files: PipelineFiles }> = async (
  app,
  { files },
) => {
  const config = { needs: 'write' as const }
  // The format of a body follows from its content type, or from its text if a client sends no content type.
  app.receivedBodies.parseAll(app, async (_request, body) => body)

  app.get(
    '/v3/pipeline/:pipelineId/export',
    {
      config,
      schema: {
        summary: 'Export the nodes and alerts of a pipeline as a file',
        tags,
        params: Type.Object({ pipelineId: Type.String() }),
        querystring: Type.Object({
          format: Type.Optional(
            Type.Enum(['yaml', 'json'], { description: 'Default: the format in the header accept' }),
          ),
        }),
        response: { 200: { description: 'The file', content: ANSWERED }, ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query, headers }, reply) => {
      const format = query.format ?? (headers.accept?.includes('application/json') ? 'json' : 'yaml')
      const print = () => files.export(caller, params.pipelineId, format)
      return whileConnected(reply, async gone => {
        const text = await files.queue.run(askerOf(caller), gone, print)
        return reply.type(TYPES[format]).send(Buffer.from(text))
      })
    },
  )

  app.put(
    '/v3/pipeline/import',
    {
      config,
      preValidation: onlyParameters('dry_run'),
      // The schema of the body is for the API document: reading the file reports the same problems, and more.
      validatorCompiler: part => (part.httpPart === 'body' ? () => true : validatorCompiler(part)),
      schema: {
        summary: 'Replace the nodes and alerts of a pipeline by those of a file; a publication deploys them',
        tags,
        querystring: dryRunQuery('true: only return the changes'),
        body: { content: SENT },
        response: { 200: EnvelopeOf(ImportedFile), ...V3_ERROR_REPLIES },
      },
    },
    async (request, reply) => {
      const { caller, query } = request
      const importSent = async () => {
        const sent = await inTurns(sentFile(request), files.turns.begin())
        if (query.dry_run === 'true') return envelope(ONE_PIPELINE, await files.difference(caller, sent))
        const { state, changed } = await files.import(caller, sent)
        return envelope({ ...ONE_PIPELINE, changed }, pipelineRecord(state))
      }
      return whileConnected(reply, gone => files.queue.run(askerOf(caller), gone, importSent))
    },
  )
}

/** @throws ProblemsError when it is neither YAML nor JSON */
export function* sentFile({ body, raw }: Pick<FastifyRequest, 'body' | 'raw'>): Steps<JsonValue | undefined> {
  if (!Buffer.isBuffer(body) || body.length === 0) return undefined
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw new ProblemsError([{ instancePath: '', message: 'must be UTF-8' }])
  }
  const { value, problems } = yield* parsingFile(text, formatOf(raw.rawHeaders, text))
  if (problems.length > 0) throw new ProblemsError(problems)
  yield // The value is judged in a turn of its own.
  return value
}

/** Format by the raw headers: those of the request call every body JSON. */
function formatOf(rawHeaders: readonly string[], text: string): FileFormat {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type')
  const type = at < 0 ? '' : String(rawHeaders[at + 1]).toLowerCase()
  if (type.includes('yaml')) return 'yaml'
  return type.includes('json') || text.trimStart().startsWith('{') ? 'json' : 'yaml'
}
