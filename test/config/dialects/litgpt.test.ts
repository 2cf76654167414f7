/** Configs and commands of LitGPT. */
import { describe, expect, it } from 'vitest'
import { readConfig, readConfigAsync } from '../../../engine/config/read.ts'
import { onlyProblemIn, trainedBy } from '../readings.ts'

const trained = (text: string, path = 'lora.yaml') => trainedBy(readConfig({ path, text }))

const model = 'checkpoint_dir: checkpoints/meta-llama/Llama-3.2-1B\n'
const train = 'train: { global_batch_size: 12, micro_batch_size: 4, max_seq_length: 512 }\n'
const lora = `${model}precision: bf16-true\nlora_r: 4\n${train}`

describe('a config of litgpt finetune_lora', () => {
  it('trains adapters on query and value, in the type of the weights, over micro-steps that fill the global batch', () => {
    const { spec, batchSizeAt, dialect } = trained(lora)
    expect(dialect).toBe('LitGPT')
    expect(batchSizeAt).toEqual({ line: 4, column: 51 })
    expect(spec).toMatchObject({
      model: 'meta-llama/Llama-3.2-1B',
      microBatch: 4,
      gradientAccumulation: 3,
      sequenceLength: 512,
      gpus: 1,
      precision: 'bf16',
      optimizer: 'adamw',
      gradientCheckpointing: false,
      paddedBatches: false,
      modelCode: 'litgpt',
      loop: 'plain',
      lora: { rank: 4, dropout: 0.05, targets: ['query', 'value'], inWeightsType: true },
    })
    expect(spec.quantization).toBeUndefined()
  })

  it('takes LitGPT’s defaults where it sets nothing', () => {
    const reading = trained(`${model}lora_r: 8\ntrain: { micro_batch_size: 2 }\n`)
    expect(reading.spec).toMatchObject({ precision: 'amp-bf16', microBatch: 2, gradientAccumulation: 8 })
    expect(reading.assumesLength).toBe(true)
  })

  it.each([
    ['every switch', 'lora_key: true\nlora_projection: true\nlora_mlp: true\nlora_head: true\n'],
    ['the same without values', 'lora_value: false\nlora_projection: true\nlora_mlp: true\nlora_head: true\n'],
  ])('has adapters where it switches them on: %s', (_, text) => {
    const targets = trained(`${lora}${text}`).spec.lora?.targets ?? []
    const of = (key: string) => text.includes(`lora_${key}: true`)
    expect(targets.includes('key')).toBe(of('key'))
    expect(targets.includes('value')).toBe(!text.includes('lora_value: false'))
    expect(targets).toEqual(expect.arrayContaining(['attn.proj', 'fc_1', 'fc_2', 'mlp.proj', 'lm_head']))
  })

  it('names the layers of a plain feed-forward as LitGPT does', () => {
    const text = lora.replace('meta-llama/Llama-3.2-1B', 'microsoft/phi-2')
    expect(trained(`${text}lora_mlp: true\n`).spec.lora?.targets).toEqual(['query', 'value', 'fc', 'mlp.proj'])
  })

  it.each([
    ['bnb.nf4', 'nf4'],
    ['bnb.nf4-dq', 'nf4-double'],
    ['bnb.fp4', 'nf4'],
  ])('quantises with %s, and then trains with a paged optimizer', (written, quantization) => {
    const { spec } = trained(`${lora}quantize: ${written}\noptimizer: { class_path: torch.optim.AdamW }\n`)
    expect(spec).toMatchObject({ quantization, optimizer: 'paged-adamw' })
  })

  it.each([
    ['SGD', 'sgd'],
    ['{ class_path: torch.optim.SGD, init_args: { lr: 0.1, momentum: 0.9 } }', 'sgd-momentum'],
    ['{ class_path: torch.optim.AdamW, init_args: { fused: true } }', 'adamw-fused'],
    ['{ class_path: torch.optim.AdamW, init_args: { foreach: false } }', 'adamw-loop'],
    ['bitsandbytes.optim.AdamW8bit', 'adamw-8bit'],
  ])('trains with the optimizer %s', (written, optimizer) => {
    expect(trained(`${lora}optimizer: ${written}\n`).spec.optimizer).toBe(optimizer)
  })
})

describe('which command a config is for', () => {
  it.each([
    ['resume beside it', `${model}resume: false\n${train}`, 'a.yaml'],
    ['its folder', `${model}${train}`, 'configs/full/llama.yaml'],
    ['where its results go', `${model}out_dir: out/finetune/full-llama\n${train}`, 'a.yaml'],
  ])('finetune_full is told by %s', (_, text, path) => {
    expect(trained(text, path).spec.lora).toBeUndefined()
  })

  it.each([
    ['nothing tells it', `${model}${train}`, 'not-in-file'],
    ['it may have adapters of another kind', `${model}out_dir: out/full-adapter\n${train}`, 'not-in-file'],
    ['it pretrains', `model_name: pythia-160m\ntokenizer_dir: a\n${train}`, 'unsupported-training'],
    ['it trains a checkpoint further', `initial_checkpoint_dir: a\n${train}`, 'unsupported-training'],
  ])('is refused where %s', (_, text, code) => {
    expect(onlyProblemIn(text)).toMatchObject({ code, field: 'train.micro_batch_size' })
  })
})

describe('what LitGPT refuses, or nobody has traced, is refused by name', () => {
  it.each([
    ['devices: 2\n', 'devices'],
    ['num_nodes: 2\n', 'num_nodes'],
    ['quantize: bnb.int8-training\n', 'quantize'],
    ['optimizer: sophia.SophiaG\n', 'optimizer'],
    ['lora_query: false\nlora_value: false\n', 'lora_r'],
  ])('%s', (text, field) => {
    expect(onlyProblemIn(`${lora}${text}`).field).toBe(field)
  })

  it.each(['precision: bf16-mixed\n', 'precision: 32-true\n', ''])('quantised weights with %s', precision => {
    const text = `${model}${precision}quantize: bnb.nf4\nlora_r: 8\n${train}`
    expect(onlyProblemIn(text)).toMatchObject({ code: 'unsupported-setting', field: 'quantize' })
  })

  it.each(['google/gemma-2-2b', 'mistralai/Mixtral-8x7B-v0.1', 'microsoft/Phi-3.5-mini-instruct'])('%s', name => {
    const problem = onlyProblemIn(lora.replace('meta-llama/Llama-3.2-1B', name))
    expect(problem).toMatchObject({ code: 'unsupported-model', message: `LitGPT's own "${name}" is not modelled yet` })
  })

  it('a global batch that no micro-batch fits into', () => {
    expect(onlyProblemIn(lora.replace('12', '3'))).toMatchObject({ code: 'batch-mismatch' })
  })
})

describe('a command of LitGPT', () => {
  const read = (text: string) => readConfigAsync({ path: 'train.sh', text }, {})

  it.each([
    ['finetune_lora', { rank: 8 }],
    ['finetune', { rank: 8 }],
    ['finetune lora', { rank: 8 }],
    ['finetune_full', undefined],
    ['finetune full', undefined],
  ])('%s says how it trains', async (verb, adapters) => {
    const reading = await read(
      `litgpt ${verb} checkpoints/microsoft/phi-2 \\\n  --data JSON --train.micro_batch_size 4 \\\n  --train.global_batch_size=8 --precision bf16-true\n`,
    )
    const { spec, batchSizeAt } = trainedBy(reading)
    expect(batchSizeAt).toEqual({ line: 2, column: 40 })
    expect(spec).toMatchObject({ model: 'microsoft/phi-2', microBatch: 4, gradientAccumulation: 2, precision: 'bf16' })
    if (adapters === undefined) expect(spec.lora).toBeUndefined()
    else expect(spec.lora).toMatchObject(adapters)
  })

  it.each(['pretrain pythia-14m --train.micro_batch_size 4', 'finetune_adapter_v2 a/b --train.micro_batch_size 2'])(
    '%s is refused by name',
    async line => {
      const [verb = ''] = line.split(' ')
      expect(await read(`litgpt ${line}\n`)).toMatchObject({
        kind: 'unreadable',
        problems: [{ code: 'unsupported-training', message: `litgpt "${verb}" is not modelled yet` }],
      })
    },
  )

  it('is read behind python -m, and its model by the option that names it', async () => {
    const text = 'python -m litgpt finetune lora --checkpoint_dir a/checkpoints/microsoft/phi-2 --lora_r 4\n'
    expect(trainedBy(await read(text)).spec).toMatchObject({ model: 'microsoft/phi-2', lora: { rank: 4 } })
  })

  it.each(['chat checkpoints/a/b', 'download a/b', 'evaluate a/b --batch_size 4'])('%s is no training', async line => {
    expect((await read(`litgpt ${line}\n`)).kind).toBe('not-a-training-config')
  })

  it('joins what it overrides to the config that it names', async () => {
    const files: Record<string, string> = { 'a/b.yaml': `${model}${train}` }
    const text = 'litgpt finetune_lora --config a/b.yaml --train.micro_batch_size 6 --precision bf16-true\n'
    const sources = {
      readFile: async (path: string) => ({ ...files, 'train.sh': text })[path],
      listFolder: async (path: string) => (path === '.' ? ['train.sh'] : []),
    }
    const { spec } = trainedBy(await readConfigAsync({ path: 'a/b.yaml', text: files['a/b.yaml'] ?? '' }, sources))
    expect(spec).toMatchObject({ microBatch: 6, gradientAccumulation: 2, precision: 'bf16', lora: { rank: 8 } })
  })
})
