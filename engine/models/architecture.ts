/** The architectures that the tape knows, one row each: config schema, tasks, limits and forward pass. */
import * as z from 'zod'
import type { Task, TrainingSpec } from '../config/spec.ts'
import { type Builder, type Traced, trace } from '../program/builder.ts'
import type { Value } from '../program/program.ts'
import { bert, bertConfig, distilbert, distilbertConfig, ROBERTA_POSITION_OFFSET, robertaConfig } from './bert.ts'
import { decoderModel } from './decoders/blueprint.ts'
import { falcon, falconConfig } from './decoders/falcon.ts'
import { blueprintOf, decoderConfigs } from './decoders/families.ts'
import { gptj, gptjConfig, gptNeo, gptNeoConfig } from './decoders/float32-attention.ts'
import { gemma3n, gemma3nConfig, gemma3nTextConfig } from './decoders/gemma3n.ts'
import { gemma4, gemma4Config, gemma4TextConfig, gemma4UnifiedConfig } from './decoders/gemma4.ts'
import { gptBigCode, gptBigCodeConfig } from './decoders/gpt-bigcode.ts'
import { gpt2, gpt2Config } from './decoders/gpt2.ts'
import { mllama, mllamaConfig } from './decoders/mllama.ts'
import { mossVl, mossVlConfig } from './decoders/moss-vl.ts'
import { opt, optConfig } from './decoders/opt.ts'
import { gptNeox, gptNeoxConfig, phi, phiConfig } from './decoders/parallel-decoder.ts'
import { modernbert, modernbertConfig } from './modernbert.ts'
import { t5, t5Config } from './t5.ts'
import { convnext, convnextConfig } from './vision/convnext.ts'
import { resnet, resnetConfig } from './vision/resnet.ts'
import { deitConfig, vit, vitConfig } from './vision/vit.ts'
import { yoloClassifier, yoloDetector } from './vision/yolo.ts'
import { yoloConfig } from './vision/yolo-versions.ts'

/** A model's config.json, as far as memory depends on it; unknown fields are dropped. */
export const modelConfig = z.discriminatedUnion('model_type', [
  bertConfig,
  robertaConfig,
  distilbertConfig,
  modernbertConfig,
  gpt2Config,
  gptBigCodeConfig,
  gptjConfig,
  gptNeoConfig,
  ...decoderConfigs,
  gemma3nConfig,
  gemma3nTextConfig,
  gemma4Config,
  gemma4TextConfig,
  gemma4UnifiedConfig,
  phiConfig,
  gptNeoxConfig,
  optConfig,
  falconConfig,
  mllamaConfig,
  mossVlConfig,
  t5Config,
  resnetConfig,
  vitConfig,
  deitConfig,
  convnextConfig,
  yoloConfig,
])
export type ModelConfig = z.infer<typeof modelConfig>

const IMAGENET_PIXELS = 224
const COCO_PIXELS = 640

type Kind = 'encoder' | 'decoder' | 'encoder-decoder' | 'image' | 'detector'

/** What is no decoder. */
const kinds: Partial<Record<ModelConfig['model_type'], Kind>> = {
  bert: 'encoder',
  roberta: 'encoder',
  'xlm-roberta': 'encoder',
  distilbert: 'encoder',
  modernbert: 'encoder',
  t5: 'encoder-decoder',
  resnet: 'image',
  vit: 'image',
  deit: 'image',
  convnext: 'image',
  yolo: 'detector',
}

function kindOf(config: ModelConfig): Kind {
  if (config.model_type === 'yolo' && config.head === 'classify') return 'image'
  return kinds[config.model_type] ?? 'decoder'
}

const tasks: Record<Kind, readonly [Task, ...Task[]]> = {
  encoder: ['sequence-classification', 'masked-lm'],
  decoder: ['causal-lm', 'sequence-classification'],
  'encoder-decoder': ['seq2seq-lm'],
  image: ['image-classification'],
  detector: ['object-detection'],
}

/** The tasks an architecture is trained for; the first is the default. */
export function tasksOf(config: ModelConfig): readonly [Task, ...Task[]] {
  return tasks[kindOf(config)]
}

const robertas: ReadonlySet<string> = new Set(['roberta', 'xlm-roberta'])

/** The longest sequence in tokens; undefined for images. */
export function maxPositionsOf(config: ModelConfig): number | undefined {
  if ('n_positions' in config) return config.n_positions
  if ('text_config' in config) return config.text_config.max_position_embeddings
  if (!('max_position_embeddings' in config)) return undefined
  return config.max_position_embeddings - (robertas.has(config.model_type) ? ROBERTA_POSITION_OFFSET : 0)
}

/** Pixels of the side of the images that a model was trained on; undefined for text. */
export function imageSizeOf(config: ModelConfig): number | undefined {
  if (config.model_type === 'yolo' && config.head !== 'classify') return COCO_PIXELS
  if ('image_size' in config) return config.image_size
  return kindOf(config) === 'image' ? IMAGENET_PIXELS : undefined
}

/** Whether the checkpoint reads images beside text. */
export function isVisionLanguageModel(config: ModelConfig): boolean {
  return 'vision_config' in config
}

/** Whether the checkpoint hears beside reading text. */
export function isAudioModel(config: ModelConfig): boolean {
  return 'audio_config' in config
}

/** Whose its code is, where it is not in transformers: nothing here runs it. */
export function outsideTransformers(config: ModelConfig): 'checkpoint' | 'ultralytics' | undefined {
  if (config.model_type === 'yolo') return 'ultralytics'
  return config.model_type === 'moss_vl' || config.model_type === 'mimo' ? 'checkpoint' : undefined
}

/** Whether layers hold a mixture of experts. */
export function hasExperts(config: ModelConfig): boolean {
  const text = 'text_config' in config ? config.text_config : config
  return (
    ('num_experts_per_tok' in text && (text.num_experts_per_tok ?? 0) > 0) ||
    ('enable_moe_block' in text && text.enable_moe_block)
  )
}

/** Whether layers are Mamba's. */
export function hasStateSpaces(config: ModelConfig): boolean {
  if (config.model_type === 'granitemoehybrid') return !config.layer_types?.every(type => type === 'attention')
  return ['falcon_h1', 'nemotron_h', 'jamba'].includes(config.model_type)
}

/** Whether transformers offers `gradient_checkpointing_enable` for it. */
export function supportsCheckpointing(config: ModelConfig): boolean {
  return !['resnet', 'convnext', 'yolo'].includes(config.model_type)
}

/** What a program depends on beside the config. */
export type ProgramTerms = Pick<TrainingSpec, 'task' | 'labels' | 'sequenceLength' | 'targetLength' | 'images'>

/** Passes over a model follow one another: policy and reference, or one setting after the other. */
let latest: { readonly config: ModelConfig; readonly terms: string; readonly program: Traced<Value> } | undefined

/** The model with the head of the task; the program's result is its logits. */
export function programOf(config: ModelConfig, spec: ProgramTerms): Traced<Value> {
  const { task, labels, sequenceLength, targetLength, images } = spec
  const terms = JSON.stringify([task, labels, sequenceLength, targetLength, images])
  if (latest?.config !== config || latest.terms !== terms) {
    latest = { config, terms, program: trace(ops => forward(ops, config, spec)) }
  }
  return latest.program
}

function forward(ops: Builder, config: ModelConfig, spec: ProgramTerms): Value {
  const tokens = spec.sequenceLength ?? 0
  switch (config.model_type) {
    case 'bert':
    case 'roberta':
    case 'xlm-roberta':
      return bert(ops, config, tokens, spec.task, spec.labels)
    case 'distilbert':
      return distilbert(ops, config, tokens, spec.task, spec.labels)
    case 'modernbert':
      return modernbert(ops, config, spec.task, spec.labels)
    case 'gpt2':
      return gpt2(ops, config, tokens, spec.task, spec.labels)
    case 'gpt_bigcode':
      return gptBigCode(ops, config, tokens, spec.task, spec.labels)
    case 'gptj':
      return gptj(ops, config, spec.task, spec.labels)
    case 'gpt_neo':
      return gptNeo(ops, config, tokens, spec.task, spec.labels)
    case 'phi':
      return phi(ops, config, spec.task, spec.labels)
    case 'gpt_neox':
      return gptNeox(ops, config, spec.task, spec.labels)
    case 'opt':
      return opt(ops, config, spec.task, spec.labels)
    case 'falcon':
      return falcon(ops, config, spec.task, spec.labels)
    case 'moss_vl':
      return mossVl(ops, config, spec)
    case 'mllama':
      return mllama(ops, config, spec)
    case 'gemma3n':
    case 'gemma3n_text':
      return gemma3n(ops, config, spec.task, spec.labels)
    case 'gemma4':
    case 'gemma4_text':
    case 'gemma4_unified':
      return gemma4(ops, config, spec.task, spec.labels)
    case 't5':
      return t5(ops, config, tokens, spec.targetLength ?? tokens)
    case 'resnet':
      return resnet(ops, config, spec.labels)
    case 'vit':
    case 'deit':
      return vit(ops, config, spec.labels)
    case 'convnext':
      return convnext(ops, config, spec.labels)
    case 'yolo':
      return config.head === 'classify'
        ? yoloClassifier(ops, config, spec.labels)
        : yoloDetector(ops, config, spec.labels)[0].scores
    default:
      return decoderModel(ops, blueprintOf(config), spec.task, spec.labels)
  }
}
