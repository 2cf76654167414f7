import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { catalogueRows, findModel } from '../../engine/models/catalogue.ts'
import { readConfigJson } from '../../engine/models/config-json.ts'
import { catalogueText, type ReadModel, withModel } from '../../scripts/catalogue-rows.ts'

const id = 'acme/tiny-llama'
const llama = {
  model_type: 'llama',
  vocab_size: 1_000,
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  max_position_embeddings: 512,
}

function modelOf(fields: object, source?: string): ReadModel {
  const read = readConfigJson(JSON.stringify(fields))
  if (read.kind !== 'config') throw new Error(`no config: ${JSON.stringify(read)}`)
  return { id, ...read, source }
}

describe('the catalogue file', () => {
  test('has the text that the script writes', () => {
    const file = new URL('../../engine/models/catalogue.json', import.meta.url)
    expect(catalogueText(catalogueRows)).toBe(readFileSync(file, 'utf8'))
  })
})

describe('a model that is added', () => {
  test('keeps of its config.json what the schema reads, and stands after the last of its family', () => {
    const rows = withModel(catalogueRows, modelOf({ ...llama, torch_dtype: 'bfloat16', bos_token_id: 1 }, 'a fork'))
    const index = rows.findIndex(({ ids }) => ids.includes(id))
    expect(rows[index]).toEqual({ ids: [id], source: 'a fork', config: llama })
    expect(rows[index - 1]?.config.model_type).toBe('llama')
    expect(rows.slice(index + 1).some(({ config }) => config.model_type === 'llama')).toBe(false)
    expect(rows.filter(row => !row.ids.includes(id))).toEqual(catalogueRows)
  })

  test('keeps parts within parts alike', () => {
    const vision = { hidden_size: 64, depth: 2, out_hidden_size: 64, spatial_patch_size: 14 }
    const [row] = withModel([], modelOf({ model_type: 'qwen2_5_vl', text_config: llama, vision_config: vision })).slice(
      -1,
    )
    expect(Object.keys(row?.config.vision_config ?? {})).not.toContain('spatial_patch_size')
    expect(row?.config).toMatchObject({ text_config: { hidden_size: 64 }, vision_config: { depth: 2 } })
  })

  test('joins the row of the same facts', () => {
    const twin = catalogueRows.find(({ ids }) => ids.includes('meta-llama/Llama-3.1-8B'))
    const rows = withModel(catalogueRows, modelOf(twin?.config ?? {}))
    expect(rows).toHaveLength(catalogueRows.length)
    expect(rows.find(({ ids }) => ids.includes(id))?.ids).toEqual([...(twin?.ids ?? []), id])
  })

  test('of a new family stands at the end, and is read as its config.json is', () => {
    const own = catalogueRows.filter(({ config }) => config.model_type !== 'gptj')
    const gptj = findModel('EleutherAI/gpt-j-6b')?.config
    const last = withModel(own, modelOf({ ...gptj, task_specific_params: {} })).at(-1)
    expect(last?.ids).toEqual([id])
    expect(modelOf(last?.config ?? {}).config).toEqual(gptj)
  })
})
