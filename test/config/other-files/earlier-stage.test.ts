/** A model that another config of the repository trains. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import type { Sources } from '../../../engine/config/sources.ts'

const keys = 'per_device_train_batch_size: 2\nbf16: true\nmax_length: 1024\n'
const sft = `model_name_or_path: Qwen/Qwen2.5-1.5B\noutput_dir: outputs/sft\n${keys}`

function sourcesOf(files: Readonly<Record<string, string>>): Required<Pick<Sources, 'readFile' | 'listFolder'>> {
  return {
    readFile: async path => files[path],
    listFolder: async folder =>
      Object.keys(files).flatMap(path => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [])),
  }
}

async function read(model: string, others: Readonly<Record<string, string>> = { 'configs/sft.yaml': sft }) {
  const text = `model_name_or_path: ${model}\nbeta: 0.1\n${keys}`
  const path = 'configs/dpo.yaml'
  return readConfigAsync({ path, text }, sourcesOf({ ...others, [path]: text }))
}

describe('a model that a config beside it trains', () => {
  it.each(['outputs/sft', './outputs/sft/', 'outputs/sft/final', 'outputs/sft/checkpoint-500'])(
    'has the shape of the one that training starts from: %s',
    async model => {
      const reading = await read(model)
      expect(reading).toMatchObject({
        kind: 'training-config',
        model: { config: { hidden_size: 1536 } },
        assumesCode: true,
      })
      if (reading.kind !== 'training-config') return
      expect(reading.assumptions.join(' ')).toContain(
        'has the shape of "Qwen/Qwen2.5-1.5B", from which "configs/sft.yaml" trains it',
      )
      expect(reading.otherFiles?.map(({ path }) => path)).toContain('configs/sft.yaml')
    },
  )

  it('is not asked for on the Hub', async () => {
    const text = `model_name_or_path: outputs/sft\n${keys}`
    const asked: string[] = []
    const configJson = async (id: string) => {
      asked.push(id)
      return { kind: 'unreachable', why: 'it is off' } as const
    }
    const sources = { ...sourcesOf({ 'configs/sft.yaml': sft }), hub: { configJson } }
    const reading = await readConfigAsync({ path: 'configs/grpo.yaml', text }, sources)
    expect(reading).toMatchObject({ kind: 'training-config', spec: { model: 'outputs/sft' } })
    expect(asked).toEqual([])
  })

  it('gets no verdict where the weights before were stored for MLX', async () => {
    const stage = sft.replace('Qwen/Qwen2.5-1.5B', 'acme/Qwen2.5-1.5B-mlx')
    await expect(read('outputs/sft', { 'configs/sft.yaml': stage })).resolves.toMatchObject({
      kind: 'unreadable',
      problems: [{ code: 'unusable-model-config', message: expect.stringContaining('MLX') }],
    })
  })

  it('is found where a file beside it merges adapters into it', async () => {
    const merge = 'model_name_or_path: Qwen/Qwen2.5-1.5B\nadapter_name_or_path: outputs/a\nexport_dir: outputs/merged\n'
    const reading = await read('outputs/merged', { 'configs/export_a.yaml': merge })
    expect(reading).toMatchObject({ kind: 'training-config', spec: { model: 'outputs/merged' }, assumesCode: true })
  })

  it('is found through the stages before', async () => {
    const second = sft.replace('Qwen/Qwen2.5-1.5B', 'outputs/cpt')
    const first = sft.replace('outputs/sft', 'outputs/cpt')
    const reading = await read('outputs/sft', { 'configs/sft.yaml': second, 'configs/cpt.yaml': first })
    expect(reading).toMatchObject({ kind: 'training-config', spec: { model: 'outputs/sft' } })
  })

  it.each([
    ['another folder', 'outputs/sft-large', { 'configs/sft.yaml': sft }],
    ['a run below the same folder', 'outputs/sft/dpo', { 'configs/sft.yaml': sft }],
    [
      'two that start from different models',
      'outputs/sft',
      { 'configs/sft.yaml': sft, 'configs/sft-small.yaml': sft.replace('1.5B', '0.5B') },
    ],
    ['itself', 'outputs/sft', { 'configs/sft.yaml': sft.replace('Qwen/Qwen2.5-1.5B', 'outputs/sft') }],
    [
      'each other in a circle',
      'outputs/sft',
      {
        'configs/sft.yaml': sft.replace('Qwen/Qwen2.5-1.5B', 'outputs/cpt'),
        'configs/cpt.yaml': sft
          .replace('Qwen/Qwen2.5-1.5B', 'outputs/sft')
          .replace('output_dir: outputs/sft', 'output_dir: outputs/cpt'),
      },
    ],
    ['no config at all', 'outputs/sft', {}],
  ])('is unknown where what is beside makes %s', async (_, model, others) => {
    const reading = await read(model, others)
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ code: 'unknown-model' }] })
  })
})
