import Type, { type Static } from 'typebox'
import { isJsonObject, type JsonObject } from '../../../../schemas/json.ts'
import { duplicateProblems } from '../../../conditions/distinct-items.ts'
import { uriProblems } from '../../../conditions/uri.ts'
import { type Problem, pointerTo } from '../../../event/problem.ts'
import type { PublishSite } from '../../contract/define-destination.ts'
import { Secret } from '../../contract/secret.ts'
import { datedTemplateProblems } from '../../http/dated-template.ts'
import {
  ackEnabled,
  batchTimeoutSecs,
  compression,
  encodingWithNdjson,
} from '../../options/delivery-options.ts'
import {
  consolidationProblems,
  consolidationPublishProblems,
  fileConsolidation,
} from '../../options/file-consolidation.ts'
import { templateProblems } from '../../options/template-option.ts'

/** Names of buckets; compatible services allow capital letters and `_`. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/
const REGION = /^[A-Za-z0-9_-]{1,64}$/
const KEY_ID = /^[\w.-]{1,256}$/
/** Rules for tags of objects: S3 refuses an object with any other tag. */
const MAX_TAGS = 10
const TAG_NAME = /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/u
const TAG_VALUE = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u

/** Options of the destination: components, section 7.6. */
export const S3Options = Type.Object(
  {
    ack_enabled: ackEnabled,
    auth: Type.Object(
      {
        access_key_id: Type.String({ minLength: 1, description: 'Id of the access key' }),
        secret_access_key: Secret({ minLength: 1, description: 'Secret of the access key' }),
      },
      { additionalProperties: false, description: 'Access key that may write to the bucket' },
    ),
    region: Type.String({ minLength: 1, description: 'Region of the bucket' }),
    bucket: Type.String({ minLength: 1, description: 'Bucket to write to' }),
    prefix: Type.Optional(
      Type.String({
        minLength: 1,
        default: '/',
        description: 'Begin of the names of objects; may refer to fields and to the time (%Y, %m, %d)',
      }),
    ),
    encoding: encodingWithNdjson,
    compression,
    batch_timeout_secs: batchTimeoutSecs,
    file_consolidation: fileConsolidation,
    tags: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, description: 'Name of the tag' }),
            value: Type.String({ description: 'Value of the tag' }),
          },
          { additionalProperties: false },
        ),
        { description: 'Tags of every object' },
      ),
    ),
    endpoint: Type.Optional(
      Secret({ minLength: 1, description: 'Address of another service that speaks like S3' }),
    ),
  },
  { additionalProperties: false },
)

export type S3Config = Static<typeof S3Options>

/** Checks rules that the schema cannot express. */
export function s3Problems(sent: JsonObject): Problem[] {
  return [
    ...templateProblems('/prefix', sent.prefix),
    ...uriProblems('/endpoint', sent.endpoint),
    ...consolidationProblems(sent),
  ]
}

/** @param config checked options */
export function s3PublishProblems(config: JsonObject, site: PublishSite): Problem[] {
  const { prefix = '/', tags = [], ...named } = config as unknown as S3Config
  return [
    ...textProblems('/auth/access_key_id', named.auth.access_key_id, KEY_ID, 'the id of an access key'),
    ...textProblems('/region', named.region, REGION, 'the name of a region'),
    ...textProblems('/bucket', named.bucket, BUCKET, 'the name of a bucket'),
    ...datedTemplateProblems('/prefix', prefix),
    ...(tags.length > MAX_TAGS
      ? [{ instancePath: '/tags', message: `must NOT have more than ${MAX_TAGS} items` }]
      : []),
    ...tags.flatMap(({ name, value }, index) => {
      const pointer = pointerTo('/tags', index)
      return [
        ...textProblems(pointerTo(pointer, 'name'), name, TAG_NAME, 'the name of a tag that S3 accepts'),
        ...textProblems(pointerTo(pointer, 'value'), value, TAG_VALUE, 'the value of a tag that S3 accepts'),
      ]
    }),
    ...duplicateProblems('/tags', tags, tag => (isJsonObject(tag) ? String(tag.name) : undefined)),
    ...consolidationPublishProblems(config, site),
  ]
}

function textProblems(instancePath: string, text: string, allowed: RegExp, noun: string): Problem[] {
  return allowed.test(text) ? [] : [{ instancePath, message: `must be ${noun}` }]
}
