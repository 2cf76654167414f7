/** What `GET /models` lists: the catalogue, in the earlier tool's words. */
import * as z from 'zod'
import { bareName, type CatalogueModel, findModel, modelAliases, modelIds } from '../engine/models/catalogue.ts'

const listedModel = z.object({
  /** What `model_name` takes; the Hub id serves as well. */
  id: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(['text', 'image']),
  huggingface_id: z.string(),
})
export const modelList = z.object({ models: z.array(listedModel) })

const aliasesById: ReadonlyMap<string, string> = new Map(
  Object.entries(modelAliases).map(([alias, id]) => [id, alias] as const),
)

export function listModels(): z.infer<typeof modelList> {
  const models = modelIds.map(findModel).filter(model => model !== undefined)
  return { models: models.map(listed) }
}

function listed({ id, family, tasks, maxPositions, imageSize }: CatalogueModel): z.infer<typeof listedModel> {
  const length = maxPositions === undefined ? 'text of any length' : `up to ${maxPositions} tokens`
  return {
    id: aliasesById.get(id) ?? id,
    name: bareName(id),
    description: `${family} for ${tasks.join(', ')}; ${imageSize === undefined ? length : `images of ${imageSize}×${imageSize} pixels`}`,
    type: imageSize === undefined ? 'text' : 'image',
    huggingface_id: id,
  }
}
