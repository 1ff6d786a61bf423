import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { CATEGORY_TYPES, CategoryRecord, CategoryWrite } from '../../schemas/http/account/category.ts'
import { Deleted } from '../../schemas/http/account/deleted.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { sendList } from '../http/streamed-list.ts'
import { Categories } from './categories.ts'

const CATEGORIES = '/v1/config/categories/:type'
const CATEGORY = `${CATEGORIES}/:id`

const CategoryTypePath = Type.Enum([...CATEGORY_TYPES])
const TypePath = Type.Object({ type: CategoryTypePath })
const CategoryPath = Type.Object({ type: CategoryTypePath, id: Type.String() })
const OneCategory = { 200: CategoryRecord, ...V1_ERROR_REPLIES }
const tags = ['categories']

/** Configuration and account API, section 7. */
export const categoryRoutes: FastifyPluginAsyncTypebox = async app => {
  const categories = new Categories(app.ports)
  const reader = { config: { needs: 'read' as const } }
  const writer = { config: { needs: 'write' as const } }

  app.get(
    CATEGORIES,
    {
      ...reader,
      schema: {
        summary: 'List categories',
        tags,
        params: TypePath,
        response: { 200: Type.Array(CategoryRecord), ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }, reply) =>
      sendList(reply, app.ports.clock, categories.list(caller, params.type)),
  )
  app.post(
    CATEGORIES,
    {
      ...writer,
      schema: {
        summary: 'Create a category',
        tags,
        params: TypePath,
        body: CategoryWrite,
        response: OneCategory,
      },
    },
    async ({ caller, params, body }) => categories.create(caller, params.type, body),
  )
  app.get(
    CATEGORY,
    { ...reader, schema: { summary: 'Read a category', tags, params: CategoryPath, response: OneCategory } },
    async ({ caller, params }) => categories.get(caller, params.type, params.id),
  )
  app.put(
    CATEGORY,
    {
      ...writer,
      schema: {
        summary: 'Rename a category, also in the objects that refer to it',
        tags,
        params: CategoryPath,
        body: CategoryWrite,
        response: OneCategory,
      },
    },
    async ({ caller, params, body }) => categories.rename(caller, params.type, params.id, body),
  )
  app.delete(
    CATEGORY,
    {
      ...writer,
      schema: {
        summary: 'Delete a category; the objects in it stay',
        tags,
        params: CategoryPath,
        response: { 200: Deleted, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      await categories.remove(caller, params.type, params.id)
      return { deleted: true as const }
    },
  )
}
