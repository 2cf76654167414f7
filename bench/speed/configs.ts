/**
 * Training configs as varied as those of many teams: all formats and model families, with varying sequence length,
 * adapters, quantisation, precision, optimizer, GPU, batch size, accumulation, checkpointing and sharding. The same on
 * every run.
 */
import type { SourceFile } from '../../engine/config/reading.ts'
import { gpus } from '../../engine/gpus/catalogue.ts'
import { findModel, modelIds } from '../../engine/models/catalogue.ts'
import { Choice } from './choice.ts'

/** By what a family's models are trained on. */
const families = {
  text: familiesOf(task => task === 'causal-lm'),
  encoders: familiesOf(task => task === 'sequence-classification'),
  images: familiesOf(task => task === 'image-classification'),
  detectors: familiesOf(task => task === 'object-detection'),
  sequences: familiesOf(task => task === 'seq2seq-lm'),
}

const lengths = [256, 384, 512, 768, 1_024, 1_536, 2_048, 3_072, 4_096, 8_192]
const batches = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64]
const accumulations = [1, 1, 1, 2, 4, 5, 8, 16, 32]
const ranks = [4, 8, 16, 32, 64]
const trainerOptimizers = ['adamw_torch', 'adamw_torch_fused', 'adafactor', 'adamw_bnb_8bit', 'paged_adamw_8bit', 'sgd']
const torchtuneModels = [
  'llama2.{}llama2_7b',
  'llama3_1.{}llama3_1_8b',
  'llama3_2.{}llama3_2_1b',
  'mistral.{}mistral_7b',
].concat([
  'gemma2.{}gemma2_2b',
  'phi3.{}phi3_mini',
  'qwen2_5.{}qwen2_5_3b',
  'qwen3.{}qwen3_4b',
  'llama4.llama4_scout_17b_16e',
])
const timmModels = ['resnet50', 'resnet18', 'resnet152', 'vit_base_patch16_224', 'deit_small_patch16_224']

type Write = (choice: Choice, index: number) => string

/** A config of each format, and how many of a hundred have it. */
const dialects: readonly (readonly [name: string, share: number, extension: string, write: Write])[] = [
  ['memorymark', 16, 'yaml', memorymark],
  ['axolotl', 18, 'yml', axolotl],
  ['llamafactory', 18, 'yaml', llamafactory],
  ['llamafactory-v1', 5, 'yaml', llamafactoryV1],
  ['torchtune', 8, 'yaml', torchtune],
  ['lightning', 6, 'yaml', lightning],
  ['ultralytics', 4, 'yaml', ultralytics],
  ['timm', 4, 'yaml', timm],
  ['huggingface', 18, 'json', huggingface],
  ['hydra', 1, 'yaml', hydra],
  ['deepspeed', 1, 'json', deepspeed],
  ['accelerate', 1, 'yaml', accelerate],
]

/** One folder per GPU, which the settings refer to. */
export function trainingConfigs(count: number): SourceFile[] {
  const shares = dialects.flatMap(dialect => Array.from({ length: dialect[1] }, () => dialect))
  return Array.from({ length: count }, (_, index) => {
    const choice = new Choice(index)
    // 37 and 100 are coprime, so every hundred configs have all shares.
    const [name, , extension, write] = shares[(index * 37) % shares.length]!
    const path = `${choice.of(gpus).id}/${name}/train-${index}.${extension}`
    return { path, text: write(choice, index) }
  })
}

/** The team's settings: the GPU of each folder. */
export const settings: SourceFile = {
  path: '.github/memorymark.yml',
  text: ['overrides:', ...gpus.flatMap(({ id }) => [`  - path: '${id}/**'`, `    gpu: ${id}`])].join('\n'),
}

/** Files of other tools, with names that configs could have. */
export function otherFiles(count: number): SourceFile[] {
  return Array.from({ length: count }, (_, index) => {
    const choice = new Choice(index)
    const folder = `services/part-${index % 400}`
    const lines = Array.from({ length: 5 + choice.below(60) }, (_, line) => `  key_${line}: ${choice.below(1e6)}`)
    const isJson = index % 3 === 0
    const text = isJson
      ? JSON.stringify({ name: `part-${index}`, values: lines.map(() => choice.below(1e6)) }, null, 2)
      : `name: part-${index}\nkind: Deployment\nspec:\n${lines.join('\n')}\n`
    return { path: `${folder}/file-${index}.${isJson ? 'json' : 'yaml'}`, text }
  })
}

function memorymark(choice: Choice, index: number): string {
  const kind = choice.of(['text', 'text', 'encoders', 'images', 'detectors', 'sequences'] as const)
  const isImage = kind === 'images' || kind === 'detectors'
  const hasAdapter = kind === 'text' && choice.share(0.5)
  const quantization = choice.of(['nf4', 'nf4-double', 'int8'])
  return yaml('memorymark:', [
    `  model: ${modelOf(kind, choice, index)}`,
    `  batch_size: ${choice.of(batches)}`,
    `  gradient_accumulation: ${choice.of(accumulations)}`,
    isImage
      ? `  image_size: ${kind === 'images' ? 224 : choice.of([640, 960, 1_280])}`
      : `  sequence_length: ${length(kind, choice)}`,
    `  precision: ${choice.of(['fp32', 'tf32', 'bf16', 'amp-bf16', 'amp-fp16'])}`,
    `  optimizer: ${choice.of(['adamw', 'adamw-fused', 'adamw-loop', 'sgd', 'sgd-momentum', 'adafactor', 'lion', 'adamw-8bit'])}`,
    !isImage && `  attention: ${choice.of(['sdpa', 'sdpa', 'eager'])}`,
    kind === 'text' && `  gradient_checkpointing: ${choice.share(0.5)}`,
    `  loop: ${choice.of(['plain', 'trainer'])}`,
    hasAdapter && `  lora_rank: ${choice.of(ranks)}`,
    hasAdapter && choice.share(0.5) && `  quantization: ${quantization}`,
  ])
}

function axolotl(choice: Choice, index: number): string {
  const adapter = choice.of(['lora', 'qlora', undefined])
  return yaml(`base_model: ${modelOf('text', choice, index)}`, [
    adapter === 'qlora' && 'load_in_4bit: true',
    adapter &&
      `adapter: ${adapter}\nlora_r: ${choice.of(ranks)}\nlora_alpha: 16\nlora_dropout: ${choice.of([0, 0.05])}`,
    adapter && 'lora_target_linear: true',
    'datasets:\n  - path: acme/support-tickets\n    type: alpaca',
    choice.share(0.15) && 'rl: dpo',
    `sequence_len: ${choice.of(lengths)}`,
    `sample_packing: ${choice.share(0.3)}`,
    `micro_batch_size: ${choice.of(batches)}`,
    `gradient_accumulation_steps: ${choice.of(accumulations)}`,
    `optimizer: ${choice.of(trainerOptimizers)}`,
    `bf16: ${choice.share(0.8)}`,
    `gradient_checkpointing: ${choice.share(0.7)}`,
    choice.share(0.5) && 'flash_attention: true',
  ])
}

function llamafactory(choice: Choice, index: number): string {
  const type = choice.of(['lora', 'lora', 'lora', 'full', 'full', 'freeze'])
  return yaml(`model_name_or_path: ${modelOf('text', choice, index)}`, [
    `stage: ${choice.of(['sft', 'sft', 'sft', 'pt', 'dpo', 'kto'])}`,
    'do_train: true',
    `finetuning_type: ${type}`,
    type === 'lora' && `lora_rank: ${choice.of(ranks)}\nlora_target: all`,
    type === 'lora' && choice.share(0.4) && 'quantization_bit: 4\nquantization_method: bnb',
    type === 'freeze' && `freeze_trainable_layers: ${choice.of([1, 2, 4])}`,
    'dataset: acme\ntemplate: default',
    `cutoff_len: ${choice.of(lengths)}`,
    `per_device_train_batch_size: ${choice.of(batches)}`,
    `gradient_accumulation_steps: ${choice.of(accumulations)}`,
    `optim: ${choice.of(trainerOptimizers)}`,
    choice.of(['bf16: true', 'bf16: true', 'fp16: true', 'pure_bf16: true', undefined]),
    choice.share(0.2) && 'disable_gradient_checkpointing: true',
  ])
}

function llamafactoryV1(choice: Choice, index: number): string {
  return yaml(`model: ${modelOf('text', choice, index)}`, [
    'model_class: llm',
    choice.share(0.7) && `peft_config:\n  name: lora\n  r: ${choice.of(ranks)}\n  target_modules: all`,
    'train_dataset: data/demo.yaml',
    `micro_batch_size: ${choice.of(batches)}`,
    `cutoff_len: ${choice.of(lengths)}`,
  ])
}

function torchtune(choice: Choice): string {
  const method = choice.of(['', 'lora_', 'qlora_'])
  const isLora = method !== ''
  return yaml('model:', [
    `  _component_: torchtune.models.${choice.of(torchtuneModels).replace('{}', method)}`,
    isLora && `  lora_attn_modules: ['q_proj', 'v_proj', 'output_proj']\n  apply_lora_to_mlp: ${choice.share(0.5)}`,
    isLora && `  lora_rank: ${choice.of(ranks)}\n  lora_alpha: 16`,
    `tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  max_seq_len: ${choice.of(lengths)}`,
    'dataset:\n  _component_: torchtune.datasets.alpaca_dataset\n  packed: False',
    `batch_size: ${choice.of(batches)}`,
    `optimizer:\n  _component_: ${choice.of(['torch.optim.AdamW', 'torch.optim.SGD', 'bitsandbytes.optim.PagedAdamW8bit'])}`,
    'loss:\n  _component_: torchtune.modules.loss.LinearCrossEntropyLoss',
    `gradient_accumulation_steps: ${choice.of(accumulations)}`,
    `device: cuda\ndtype: ${choice.of(['bf16', 'bf16', 'fp32'])}`,
    `enable_activation_checkpointing: ${choice.share(0.6)}`,
    'compile: False',
  ])
}

function lightning(choice: Choice, index: number): string {
  const kind = choice.of(['encoders', 'text'] as const)
  return yaml('trainer:\n  max_epochs: 3', [
    `  precision: ${choice.of(['bf16-mixed', '16-mixed', 'bf16-true', '32-true'])}`,
    `  accumulate_grad_batches: ${choice.of(accumulations)}`,
    `model:\n  class_path: acme.models.Model\n  init_args:\n    model_name_or_path: ${modelOf(kind, choice, index)}`,
    `data:\n  class_path: acme.data.Tickets\n  init_args:\n    batch_size: ${choice.of(batches)}`,
    `    max_length: ${length(kind, choice)}`,
  ])
}

function ultralytics(choice: Choice, index: number): string {
  const name = modelOf('detectors', choice, index)
  return yaml('mode: train', [
    `model: ${name.slice(name.lastIndexOf('/') + 1)}.pt`,
    'data: coco8.yaml\nepochs: 100',
    `batch: ${choice.of([8, 16, 32, 64])}`,
    `imgsz: ${choice.of([640, 960, 1_280])}`,
    `optimizer: ${choice.of(['auto', 'SGD', 'AdamW'])}`,
    `amp: ${choice.share(0.8)}`,
  ])
}

function timm(choice: Choice): string {
  return yaml(`model: ${choice.of(timmModels)}`, [
    'data_dir: /data/imagenet\nepochs: 100\nsched: cosine\naa: rand-m9-mstd0.5-inc1\nsmoothing: 0.1\nimg_size: 224',
    `batch_size: ${choice.of([32, 64, 96, 128, 256])}`,
    `opt: ${choice.of(['sgd', 'adamw', 'lion'])}`,
    `amp: ${choice.share(0.7)}`,
    `grad_accum_steps: ${choice.of(accumulations)}`,
    `num_classes: ${choice.of([10, 100, 1_000])}`,
  ])
}

function huggingface(choice: Choice, index: number): string {
  const kind = choice.of(['text', 'text', 'encoders', 'sequences', 'images'] as const)
  const usesPeft = kind === 'text' && choice.share(0.6)
  const config = {
    model_name_or_path: modelOf(kind, choice, index),
    ...(kind !== 'images' && { max_length: length(kind, choice) }),
    per_device_train_batch_size: choice.of(batches),
    gradient_accumulation_steps: choice.of(accumulations),
    gradient_checkpointing: kind === 'text' && choice.share(0.5),
    optim: choice.of(trainerOptimizers),
    [choice.of(['bf16', 'bf16', 'fp16', 'tf32'])]: true,
    ...(usesPeft && {
      use_peft: true,
      lora_r: choice.of(ranks),
      lora_target_modules: 'all-linear',
      load_in_4bit: choice.share(0.5),
    }),
    ...(choice.share(0.1) && { fsdp: 'full_shard auto_wrap', num_processes: choice.of([2, 4, 8]) }),
    learning_rate: 2e-5,
  }
  return JSON.stringify(config, null, 2)
}

function hydra(choice: Choice): string {
  return yaml(`defaults:\n  - _self_\n  - model: ${choice.of(['gpt2', 'vit'])}\n  - data: wiki`, [
    'lr: 3e-4\ntrainer:\n  max_epochs: 3',
    `batch_size: ${choice.of(batches)}`,
  ])
}

function deepspeed(choice: Choice): string {
  const precision = { enabled: true }
  const optimizer = { type: 'AdamW' }
  return JSON.stringify({ train_micro_batch_size_per_gpu: choice.of(batches), optimizer, bf16: precision }, null, 2)
}

function accelerate(choice: Choice): string {
  return yaml('compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: bf16', [
    `num_processes: ${choice.of([2, 4, 8])}`,
    'num_machines: 1\nmachine_rank: 0',
  ])
}

function length(kind: keyof typeof families, choice: Choice): number {
  return kind === 'text' ? choice.of(lengths) : choice.of([64, 96, 128, 192, 256, 320, 384, 448, 512])
}

/** A model of each family in turn. */
function modelOf(kind: keyof typeof families, choice: Choice, index: number): string {
  const family = families[kind][Math.floor(index / 3) % families[kind].length]!
  return choice.of(family)
}

function familiesOf(isWanted: (task: string) => boolean): readonly (readonly string[])[] {
  const byFamily = Map.groupBy(modelIds, id => findModel(id)?.family)
  return [...byFamily.values()]
    .map(ids => ids.filter(id => isWanted(findModel(id)?.defaultTask ?? '')))
    .filter(ids => ids.length > 0)
}

function yaml(first: string, lines: readonly (string | false | undefined)[]): string {
  return [first, ...lines.filter(line => typeof line === 'string')].join('\n').concat('\n')
}
