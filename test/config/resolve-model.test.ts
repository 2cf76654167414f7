import { describe, expect, test } from 'vitest'
import { type Resolution, resolveModel, resolveOffline } from '../../engine/config/resolve-model.ts'
import type { Hub, HubAnswer } from '../../engine/models/hub.ts'
import { tinyLlama } from '../models/tiny-llama.ts'

/** A repository of these files, and every path that was asked for. */
function repository(files: Readonly<Record<string, string>>) {
  const asked: string[] = []
  const readFile = async (path: string) => {
    asked.push(path)
    return Object.hasOwn(files, path) ? files[path] : undefined
  }
  return { asked, readFile }
}

function hubThat(answer: HubAnswer) {
  const asked: string[] = []
  const hub: Hub = {
    configJson: async id => {
      asked.push(id)
      return answer
    },
  }
  return { asked, hub }
}

function resolved(resolution: Resolution): Extract<Resolution, { kind: 'resolved' }> {
  if (resolution.kind !== 'resolved') throw new Error(JSON.stringify(resolution))
  return resolution
}

describe('a model in the repository', () => {
  test.each([
    ['models/tiny', 'models/tiny/config.json'],
    ['./models/tiny/', 'models/tiny/config.json'],
    ['../models/tiny', 'models/tiny/config.json'],
    ['tiny', 'configs/tiny/config.json'],
    ['models/tiny/config.json', 'models/tiny/config.json'],
    ['/data/tiny', '/data/tiny/config.json'],
  ])('named %s is found at %s', async (name, path) => {
    const found = await resolveModel(name, repository({ [path]: tinyLlama }), 'configs/train.yaml')
    expect(resolved(found)).toMatchObject({
      how: 'repository',
      model: { id: name, family: 'llama', maxPositions: 1_024, config: { hidden_size: 512 } },
      sentence: `The model "${name}" is described by "${path}" in the repository.`,
    })
  })

  test('wins over the catalogue, as a folder does in from_pretrained', async () => {
    const found = await resolveModel(
      'openai-community/gpt2',
      repository({ 'openai-community/gpt2/config.json': tinyLlama }),
    )
    expect(resolved(found)).toMatchObject({ how: 'repository', model: { family: 'llama' } })
  })

  test('beside the training config is taken for a name that nothing else knows', async () => {
    const sources = repository({ 'configs/config.json': tinyLlama })
    expect(resolved(await resolveModel('acme/secret', sources, 'configs/train.yaml'))).toMatchObject({
      how: 'repository',
      sentence: 'The model "acme/secret" is described by "configs/config.json" in the repository.',
    })
    expect(resolved(await resolveModel('gpt2', sources, 'configs/train.yaml')).how).toBe('catalogue')
  })

  test('beside the training config is passed over when it describes no model', async () => {
    const sources = repository({ 'config.json': '{"port": 8080}' })
    expect(await resolveModel('acme/secret', sources, 'train.yaml')).toEqual({ kind: 'unknown' })
  })

  test.each([
    ['{"port": 8080}', 'it has no model_type'],
    ['{', 'it has no model_type'],
    ['[]', 'it has no model_type'],
    [JSON.stringify({ ...JSON.parse(tinyLlama), hidden_size: -1 }), 'hidden_size: -1 is less than 1'],
  ])('that reads %s is invalid', async (text, why) => {
    const found = await resolveModel('tiny', repository({ 'tiny/config.json': text }))
    expect(found).toEqual({ kind: 'invalid', source: 'tiny/config.json', why })
  })

  test('of an architecture that nobody wrote here is unsupported, and says where that is from', async () => {
    const sources = repository({ 'tiny/config.json': '{"model_type": "mamba"}' })
    expect(await resolveModel('tiny', sources)).toEqual({
      kind: 'unsupported',
      architecture: 'mamba',
      source: 'tiny/config.json',
    })
  })
})

describe('the catalogue', () => {
  test('is asked before the Hub, which then is not asked at all', async () => {
    const { asked, hub } = hubThat({ kind: 'missing' })
    expect(resolved(await resolveModel('meta-llama/Llama-3.2-1B', { hub }))).toMatchObject({ how: 'catalogue' })
    expect(asked).toEqual([])
  })

  test('tells of well-known models that are not supported', async () => {
    expect(await resolveModel('mosaicml/mpt-7b', {})).toMatchObject({
      kind: 'unsupported',
      architecture: 'mpt',
    })
  })
})

describe("a folder of the Hub's cache", () => {
  test.each([
    'ckpts/models--Qwen--Qwen2.5-7B-Instruct/snapshots/a09a35458c702b33eeacc393d103063234e8bc28',
    '/root/.cache/huggingface/hub/models--Qwen--Qwen2.5-7B-Instruct',
  ])('%s is the model that it holds', async path => {
    const { asked, hub } = hubThat({ kind: 'missing' })
    const { how, model } = resolved(await resolveModel(path, { hub }))
    expect({ how, id: model.id, asked }).toEqual({ how: 'catalogue', id: 'Qwen/Qwen2.5-7B-Instruct', asked: [] })
    expect(resolved(resolveOffline(path)).how).toBe('catalogue')
  })

  test('is looked up on the Hub under that name', async () => {
    const { asked, hub } = hubThat({ kind: 'missing' })
    await resolveModel('models--acme--new-model/snapshots/0a1b', { hub })
    expect(asked).toEqual(['acme/new-model'])
  })
})

describe('the Hub', () => {
  test('describes what the catalogue lacks', async () => {
    const { asked, hub } = hubThat({ kind: 'found', text: tinyLlama })
    expect(resolved(await resolveModel('acme/tiny-llama', { hub }))).toMatchObject({
      how: 'hub',
      model: { id: 'acme/tiny-llama', family: 'llama' },
      sentence: 'The model "acme/tiny-llama" is described by its config.json on the Hugging Face Hub.',
    })
    expect(asked).toEqual(['acme/tiny-llama'])
  })

  test('is believed about an architecture, whatever the name says', async () => {
    const { hub } = hubThat({ kind: 'found', text: '{"model_type": "blip-2"}' })
    expect(await resolveModel('acme/Llama-3-8B-eyes', { hub })).toMatchObject({
      kind: 'unsupported',
      architecture: 'blip-2',
    })
  })

  test.each(['./outputs/run', '/data/model', 'a/b/c', '../up', 'acme/..', 'acme/a?b', 'acme/a#b', 'lone', 'a\n/b'])(
    'is not asked for %j',
    async name => {
      const { asked, hub } = hubThat({ kind: 'found', text: tinyLlama })
      expect(await resolveModel(name, { hub })).toEqual({ kind: 'unknown' })
      expect(asked).toEqual([])
    },
  )

  test.each<[HubAnswer, Resolution]>([
    [{ kind: 'missing' }, { kind: 'unknown' }],
    [{ kind: 'refused' }, { kind: 'refused' }],
    [
      { kind: 'unreachable', why: 'it took too long to answer' },
      { kind: 'unreachable', why: 'it took too long to answer' },
    ],
  ])('that answers %j leaves %j for a name that tells nothing', async (answer, outcome) => {
    expect(await resolveModel('acme/secret', hubThat(answer))).toEqual(outcome)
  })

  test.each<HubAnswer>([
    { kind: 'missing' },
    { kind: 'refused' },
    { kind: 'unreachable', why: 'the connection failed' },
  ])('that answers %j leaves the well-known model in the name', async answer => {
    const found = await resolveModel('acme/Llama-3.2-1B-support', hubThat(answer))
    expect(resolved(found)).toMatchObject({
      how: 'assumed',
      model: { id: 'acme/Llama-3.2-1B-support', config: { hidden_size: 2_048 } },
    })
  })
})

describe('the well-known model in a name', () => {
  test.each([
    ['unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit', 'Llama-3.1-8B'],
    ['acme/llama3.2-3b-lora-merged', 'Llama-3.2-3B'],
    ['TheBloke/Llama-2-7B-Chat-GGUF', 'Llama-2-7b-hf'],
    ['acme/OpenHermes-3-Mistral-7B', 'Mistral-7B-v0.1'],
    ['acme/Mistral-7B-Instruct-v0.3-AWQ', 'Mistral-7B-v0.3'],
    ['acme/my_qwen2.5_7b_sft', 'Qwen2.5-7B'],
    ['acme/Qwen3-8B-FP8', 'Qwen3-8B'],
    ['acme/gemma-2-9b-it-dpo', 'gemma-2-9b'],
    ['/scratch/models/Poro-34b-Chat', 'Poro-34B'],
    ['acme/phi-1.5-tuned', 'phi-1_5'],
    ['acme/Phi-3-mini-4k-instruct-ft', 'Phi-3-mini-4k-instruct'],
    ['acme/DeepSeek-R1-Distill-Qwen-7B-abliterated', 'DeepSeek-R1-Distill-Qwen-7B'],
    ['acme/tinyllama-support', 'TinyLlama_v1.1'],
    ['acme/bert-base-uncased-finetuned-mnli', 'bert-base-uncased'],
    ['acme/gpt2-medium-poems', 'gpt2-medium'],
    ['acme/gemma-3-4b-it-medical', 'gemma-3-4b-pt'],
    ['unsloth/Qwen2.5-VL-7B-Instruct-bnb-4bit', 'Qwen2.5-VL-7B-Instruct'],
    ['acme/Qwen3-VL-8B', 'Qwen3-VL-8B-Instruct'],
    ['acme/Mixtral-8x7B-v0.1-sft', 'Mixtral-8x7B-v0.1'],
    ['acme/Qwen3-30B-A3B-law', 'Qwen3-30B-A3B'],
    ['nvidia/Mistral-NeMo-12B-Base', 'Mistral-Nemo-Base-2407'],
    ['acme/phi-4-14b-bnb-4bit', 'phi-4'],
    ['mistralai/Magistral-Small-2507', 'Mistral-Small-24B-Base-2501'],
    ['HuggingFaceH4/zephyr-7b-gemma-sft-v0.1', 'gemma-7b'],
    ['models/deepseekr1-qwen-7b', 'DeepSeek-R1-Distill-Qwen-7B'],
    ['DeepSeek-R1-Qwen-1.5B', 'DeepSeek-R1-Distill-Qwen-1.5B'],
    ['BioMistral/BioMistral-7B', 'Mistral-7B-v0.1'],
    ['open-r1/OpenR1-Qwen-7B', 'Qwen2.5-Math-7B'],
    ['agentica-org/DeepCoder-14B-Preview', 'DeepSeek-R1-Distill-Qwen-14B'],
    ['mistralai/Devstral-Small-2507', 'Mistral-Small-24B-Base-2501'],
    ['./checkpoints/pythia-410m-deduped-run2', 'pythia-410m-deduped'],
    ['acme/starcoder2-3b-sql', 'starcoder2-3b'],
    ['elyza/Llama-3-ELYZA-JP-8B', 'Meta-Llama-3-8B'],
    ['acme/Llama-3-8B-chinese-chat', 'Meta-Llama-3-8B'],
    ['acme/bert-base-chinese-ner', 'bert-base-chinese'],
    ['acme/llama-3-typhoon-v1.5x-8b-instruct', 'Meta-Llama-3-8B'],
    ['models/codellama7b', 'CodeLlama-7b-hf'],
  ])('%s has the shape of %s', (name, bareName) => {
    const { how, model, sentence } = resolved(resolveOffline(name))
    expect({ how, id: model.id }).toEqual({ how: 'assumed', id: name })
    expect(sentence).toMatch(
      new RegExp(
        `^The model "${name}" is assumed to have the shape of [^ ]+/${bareName}, by its name: no config\\.json`,
      ),
    )
  })

  test.each([
    ['../Meta-Llama-3-8B-Instruct/', 'meta-llama/Meta-Llama-3-8B'],
    ['/data/checkpoints/Qwen3-30B-A3B', 'Qwen/Qwen3-30B-A3B'],
    [String.raw`D:\Models\Qwen3-4B`, 'Qwen/Qwen3-4B'],
    [String.raw`D:\models\Qwen\Qwen2-1___5B-Instruct`, 'Qwen/Qwen2-1.5B'],
    ['./runs/Qwen2.5-7B-sft/checkpoint-700/', 'Qwen/Qwen2.5-7B'],
    ['/ckpt/qwen3-8b-oj/global_step_234/actor/huggingface', 'Qwen/Qwen3-8B'],
    ['/data/llama-7b/outputs/iter2-ckpt', 'huggyllama/llama-7b'],
    ['out/qwen2.5-7b-lora/merged_model', 'Qwen/Qwen2.5-7B'],
    ['/kaggle/input/qwen2.5/transformers/7b-instruct/1', 'Qwen/Qwen2.5-7B'],
    ['/kaggle/input/gemma-2/transformers/gemma-2-9b-it/2', 'google/gemma-2-9b'],
    [
      '/kaggle/input/models/metric/nemotron-3-nano-30b-a3b-bf16/transformers/default/1',
      'nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16',
    ],
  ])('in the last folder of the path %s that may name a model is %s', (path, id) => {
    const { how, sentence } = resolved(resolveOffline(path))
    expect(how).toBe('assumed')
    expect(sentence).toContain(` is assumed to have the shape of ${id}, by its name`)
  })

  test.each([
    'acme/support-bot',
    // No size, one of two models, and a data set's folder.
    '/kaggle/input/qwen2.5/transformers/default/1',
    '/kaggle/input/qwen2.5-7b-runs/v2/llama-3.1-8b/1',
    '/kaggle/input/qwen2.5-7b/data/train',
    'nvidia/Nemotron-3-Nano-Omni-30B-A3B',
    'alignment-handbook/zephyr-7b-sft-qlora',
    'acme/Llama-3.2-1B-adapters',
    'out/qwen2.5-7b-lora',
    'maskrcnn_resnet50_fpn',
    'deeplabv3_resnet101',
    'acme/fcn-resnet50-roads',
    'wide_resnet50_2',
    'retinanet_resnet50_fpn_v2',
    'rtdetr-resnet50',
    'acme/Llama-3-9B',
    'acme/Qwen2.5-8B',
    'acme/Qwen3-8B-VL',
    'acme/llava-llama-3-8b',
    'Salesforce/blip2-opt-2.7b',
    'Salesforce/instructblip-vicuna-7b',
    'acme/Mistral-7B-MoE-4x',
    'acme/Llama-3-8B-from-Qwen2.5-7B',
    'facebook/detr-resnet-50',
    'acme/starcoder2-nano',
    'acme/starcoder3',
    'tiiuae/Falcon3-Mamba-7B-Instruct',
    'acme/Qwen3-Reranker-8B',
    'acme/Llama-3-distilled-from-70b-to-8b',
    // A distilled model, not the 671 billion of the name.
    'acme/DeepSeek-R1-8B',
    'acme/Math-R1-Qwen-7B',
    'acme/llama-3-70b-distilled-8b',
    'acme/SmolVLM-900M',
    // Of a vocabulary of its own; the second is a BERT.
    'uer/gpt2-chinese-cluecorpussmall',
    'uer/roberta-base-chinese-extractive-qa',
    'gpt3',
    '',
  ])('%j holds none, or none that may be taken for its shape', name => {
    expect(resolveOffline(name)).toEqual({ kind: 'unknown' })
  })

  test.each([
    ['acme/mpt-7b-storywriter', 'mpt'],
    ['acme/dbrx-instruct-sql', 'dbrx'],
    ['acme/mamba-2.8b-chat', 'mamba'],
    ['acme/Phi-4-multimodal-instruct', 'phi4mm'],
    ['../models/Qwen-Audio-Chat/', 'qwen'],
  ])('%s has an architecture that is not supported: %s', (name, architecture) => {
    expect(resolveOffline(name)).toEqual({ kind: 'unsupported', architecture, source: name })
  })
})

test.each(['x'.repeat(201), 'acme/Llama-3.2-1B\u001b[31m', 'a\0b', 'a\u202eb'])(
  '%j, too long for a report or fit to deceive, is not looked for',
  async name => {
    const sources = repository({})
    expect(await resolveModel(name, sources)).toEqual({ kind: 'unknown' })
    expect(resolveOffline(name)).toEqual({ kind: 'unknown' })
    expect(sources.asked).toEqual([])
  },
)
