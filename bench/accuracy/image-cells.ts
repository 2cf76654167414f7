/** Vision-language models with images: towers that are trained, frozen, or only passed by gradients. */
import type { TrainingSpec } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

const ckpt = { gradientCheckpointing: true } as const
const bf16 = { precision: 'bf16', loop: 'trainer' } as const
const lora = { rank: 16, targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj'], dropout: 0.05 }
/** LoRA on every linear layer with a Llama-like name, including the tower's. */
const everyLora = { ...lora, targets: [...lora.targets, 'gate_proj', 'up_proj', 'down_proj'] }

function images(tiles: number, height?: number, width = height): Pick<TrainingSpec, 'images'> {
  const size = height === undefined || width === undefined ? {} : { height, width }
  return { images: { tiles, checkpointed: 'decoder', ...size } }
}

/** A video a sample, of which a pair of frames is seen as an image is. */
function video(frames: number, height: number, width: number): Pick<TrainingSpec, 'images' | 'videoFrames'> {
  return { ...images(frames / 2, height, width), videoFrames: frames }
}

/** LLaMA-Factory's default: only the language model is trainable. */
const frozenTower = {
  trainable: { names: [String.raw`model\.language_model\.`, 'lm_head'], inputGradients: false },
}

const frozenSmolvlmTower = {
  trainable: { names: [String.raw`model\.text_model\.`, 'lm_head'], inputGradients: false },
}

/** LLaVA's first stage: only what lies between tower and language model is trained. */
const projectorAlone = { trainable: { names: [String.raw`model\.multi_modal_projector\.`], inputGradients: false } }

const sgd = { optimizer: 'sgd' } as const
const amp = { precision: 'amp-bf16', loop: 'trainer' } as const

const qwen2 = 'Qwen/Qwen2-VL-2B-Instruct'
const qwen25 = 'Qwen/Qwen2.5-VL-3B-Instruct'
const qwen3 = 'Qwen/Qwen3-VL-2B-Instruct'
const gemma3 = 'google/gemma-3-4b-it'
const paligemma = 'google/paligemma-3b-pt-224'
const paligemma2 = 'google/paligemma2-3b-pt-448'
const llava = 'llava-hf/llava-1.5-7b-hf'
const smolvlm = 'HuggingFaceTB/SmolVLM2-2.2B-Instruct'
const llavaNext = 'llava-hf/llava-v1.6-mistral-7b-hf'
const onevision = 'llava-hf/llava-onevision-qwen2-0.5b-ov-hf'
const internvl = 'OpenGVLab/InternVL3_5-8B-HF'
const ministral = 'mistralai/Ministral-3-3B-Instruct-2512'
const pixtral = 'mistral-community/pixtral-12b'
const idefics3 = 'HuggingFaceTB/SmolVLM-Instruct'

export const imageCells: readonly Cell[] = [
  [qwen2, { microBatch: 2, sequenceLength: 1024, ...bf16, optimizer: 'sgd', ...images(1, 448, 672) }],
  [qwen2, { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, lora, paddedBatches: true, ...images(2, 448) }],
  [qwen2, { microBatch: 2, sequenceLength: 1024, ...bf16, lora, ...images(1, 448) }],
  [
    qwen2,
    {
      microBatch: 2,
      sequenceLength: 1024,
      precision: 'amp-bf16',
      loop: 'trainer',
      optimizer: 'sgd',
      ...images(1, 448),
    },
  ],
  [
    qwen2,
    { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, optimizer: 'sgd', ...images(1, 448), ...frozenTower },
  ],
  [qwen25, { microBatch: 2, sequenceLength: 2048, ...bf16, optimizer: 'sgd', ...images(1, 224) }],
  [qwen25, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, optimizer: 'adamw-8bit', ...images(1, 224) }],
  [qwen25, { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, lora: everyLora, ...images(1, 224) }],
  [
    qwen25,
    { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, lora: everyLora, ...images(1, 224), ...frozenTower },
  ],
  [qwen3, { microBatch: 2, sequenceLength: 1024, ...bf16, optimizer: 'sgd', ...images(1, 512) }],
  [qwen3, { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, lora, ...images(1, 512) }],
  [qwen3, { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, lora, ...images(1, 512), ...frozenTower }],
  [qwen2, { microBatch: 2, sequenceLength: 4096, ...bf16, ...ckpt, optimizer: 'sgd', ...video(16, 336, 448) }],
  [qwen25, { microBatch: 2, sequenceLength: 4096, ...bf16, optimizer: 'sgd', ...video(16, 336, 448) }],
  [qwen25, { microBatch: 2, sequenceLength: 8192, ...bf16, ...ckpt, lora, ...video(32, 336, 448) }],
  [qwen3, { microBatch: 2, sequenceLength: 4096, ...bf16, optimizer: 'sgd', ...video(16, 320, 448) }],
  [qwen3, { microBatch: 2, sequenceLength: 8192, ...bf16, ...ckpt, lora, ...video(32, 320, 448), ...frozenTower }],
  [llava, { microBatch: 8, sequenceLength: 640, ...bf16, ...ckpt, optimizer: 'sgd', ...images(1, 336) }],
  [llava, { microBatch: 4, sequenceLength: 1024, ...bf16, ...ckpt, lora, ...images(1, 336) }],
  [llava, { microBatch: 4, sequenceLength: 1024, ...bf16, ...ckpt, lora, ...images(1, 336), ...frozenTower }],
  [llava, { microBatch: 4, sequenceLength: 640, ...bf16, optimizer: 'sgd', ...images(1, 336) }],
  [gemma3, { microBatch: 2, sequenceLength: 1024, ...bf16, optimizer: 'sgd', ...images(1, 896) }],
  [gemma3, { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, optimizer: 'adamw-8bit', ...images(1, 896) }],
  [gemma3, { microBatch: 4, sequenceLength: 2048, ...bf16, ...ckpt, lora: everyLora, ...images(1, 896) }],
  [gemma3, { microBatch: 4, sequenceLength: 1024, ...bf16, ...ckpt, lora, ...images(1, 896), ...frozenTower }],
  [gemma3, { microBatch: 2, sequenceLength: 1000, ...bf16, lora, ...images(1, 896), paddedBatches: true }],
  [smolvlm, { microBatch: 2, sequenceLength: 2048, ...bf16, optimizer: 'sgd', ...images(17, 384) }],
  [smolvlm, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, optimizer: 'sgd', ...images(13, 384) }],
  [smolvlm, { microBatch: 4, sequenceLength: 1600, ...bf16, ...ckpt, lora, ...images(17, 384), ...frozenSmolvlmTower }],
  [smolvlm, { microBatch: 2, sequenceLength: 1600, ...bf16, lora, ...images(9, 384), paddedBatches: true }],
  [
    smolvlm,
    { microBatch: 1, sequenceLength: 2048, precision: 'amp-bf16', loop: 'trainer', ...ckpt, ...images(17, 384) },
  ],
  [idefics3, { microBatch: 2, sequenceLength: 2048, ...bf16, optimizer: 'sgd', ...images(17, 384) }],
  [idefics3, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, lora: everyLora, ...images(17, 384) }],
  [internvl, { microBatch: 1, sequenceLength: 4096, ...bf16, optimizer: 'sgd', ...images(10, 448) }],
  [internvl, { microBatch: 4, sequenceLength: 1024, ...bf16, optimizer: 'sgd', ...images(1, 448) }],
  [internvl, { microBatch: 2, sequenceLength: 4096, ...bf16, ...ckpt, optimizer: 'sgd', ...images(13, 448) }],
  [internvl, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, lora: everyLora, ...images(5, 448) }],
  [internvl, { microBatch: 4, sequenceLength: 2048, ...bf16, ...ckpt, lora, ...images(5, 448), ...frozenTower }],
  [internvl, { microBatch: 2, sequenceLength: 1000, ...bf16, lora, ...images(3, 448), paddedBatches: true }],
  [llavaNext, { microBatch: 2, sequenceLength: 3072, ...bf16, optimizer: 'sgd', ...images(5, 672) }],
  [llavaNext, { microBatch: 2, sequenceLength: 2048, ...bf16, optimizer: 'sgd', ...images(3, 300, 600) }],
  [llavaNext, { microBatch: 2, sequenceLength: 4096, ...bf16, ...ckpt, optimizer: 'sgd', ...images(5, 600, 800) }],
  [llavaNext, { microBatch: 4, sequenceLength: 3072, ...bf16, ...ckpt, lora, ...images(5, 672) }],
  [llavaNext, { microBatch: 4, sequenceLength: 3072, ...bf16, ...ckpt, lora, ...images(5, 672), ...frozenTower }],
  [llavaNext, { microBatch: 1, sequenceLength: 3000, ...bf16, lora, ...images(5, 672), paddedBatches: true }],
  [onevision, { microBatch: 2, sequenceLength: 8192, ...bf16, optimizer: 'sgd', ...images(10, 1152) }],
  [onevision, { microBatch: 2, sequenceLength: 8192, ...bf16, ...ckpt, optimizer: 'sgd', ...images(26, 1800) }],
  [onevision, { microBatch: 4, sequenceLength: 4096, ...bf16, ...ckpt, lora, ...images(5, 600, 700) }],
  [onevision, { microBatch: 4, sequenceLength: 4096, ...bf16, ...ckpt, lora, ...images(5, 768), ...frozenTower }],
  [ministral, { microBatch: 2, sequenceLength: 2048, ...bf16, optimizer: 'sgd', ...images(1, 448, 672) }],
  // 12,100 patches, which leave four elements to a multiple of eight: each layer pads a copy of the mask.
  [ministral, { microBatch: 1, sequenceLength: 4096, ...bf16, optimizer: 'sgd', ...images(1, 1540) }],
  [ministral, { microBatch: 4, sequenceLength: 4096, ...bf16, ...ckpt, optimizer: 'sgd', ...images(1, 1540) }],
  [ministral, { microBatch: 16, sequenceLength: 512, ...bf16, ...ckpt, optimizer: 'sgd', ...images(1, 448) }],
  [ministral, { microBatch: 4, sequenceLength: 2048, ...bf16, ...ckpt, lora, ...images(1, 784) }],
  [ministral, { microBatch: 4, sequenceLength: 2048, ...bf16, ...ckpt, lora, ...images(1, 784), ...frozenTower }],
  [ministral, { microBatch: 3, sequenceLength: 1500, ...bf16, lora, ...images(1, 588), paddedBatches: true }],
  [ministral, { microBatch: 2, sequenceLength: 1500, precision: 'amp-bf16', loop: 'trainer', ...images(1, 784) }],
  [pixtral, { microBatch: 2, sequenceLength: 4096, ...bf16, optimizer: 'sgd', ...images(1, 512, 768) }],
  [pixtral, { microBatch: 4, sequenceLength: 2048, ...bf16, ...ckpt, lora, ...images(1, 512) }],
  [paligemma, { microBatch: 2, sequenceLength: 512, ...bf16, optimizer: 'sgd', ...images(1, 224) }],
  [paligemma, { microBatch: 4, sequenceLength: 512, ...bf16, ...ckpt, lora: everyLora, ...images(1, 224) }],
  [paligemma2, { microBatch: 2, sequenceLength: 1280, ...bf16, ...ckpt, optimizer: 'sgd', ...images(1, 448) }],
  [paligemma2, { microBatch: 2, sequenceLength: 1280, ...bf16, ...ckpt, lora, ...images(1, 448), ...frozenTower }],
  [paligemma2, { microBatch: 1, sequenceLength: 1200, ...bf16, lora, ...images(1, 448), paddedBatches: true }],
  [onevision, { microBatch: 8, sequenceLength: 1600, ...bf16, lora, ...images(2, 384), paddedBatches: true }],
  [qwen2, { microBatch: 2, sequenceLength: 1024, ...bf16, ...sgd, ...images(1, 448), ...frozenTower }],
  [qwen2, { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, lora, ...images(1, 448), ...frozenTower }],
  [qwen25, { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, ...sgd, ...images(1, 448), ...frozenTower }],
  [qwen25, { microBatch: 2, sequenceLength: 1024, ...amp, ...sgd, ...images(1, 448), ...frozenTower }],
  [qwen25, { microBatch: 2, sequenceLength: 2048, ...bf16, lora, ...images(3, 336), paddedBatches: true }],
  [llava, { microBatch: 4, sequenceLength: 1024, ...bf16, ...ckpt, ...sgd, ...images(1, 336), ...frozenTower }],
  [llava, { microBatch: 4, sequenceLength: 1024, ...bf16, lora: everyLora, ...images(1, 336) }],
  [llava, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, lora, ...images(2, 336) }],
  [llava, { microBatch: 4, sequenceLength: 1024, ...bf16, ...ckpt, ...images(1, 336), ...projectorAlone }],
  [gemma3, { microBatch: 2, sequenceLength: 1024, ...bf16, ...ckpt, ...sgd, ...images(1, 896), ...frozenTower }],
  [gemma3, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, lora, ...images(2, 896) }],
  [gemma3, { microBatch: 2, sequenceLength: 1024, ...amp, ...ckpt, ...sgd, ...images(1, 896) }],
  [internvl, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, ...sgd, ...images(5, 448), ...frozenTower }],
  [internvl, { microBatch: 2, sequenceLength: 2048, ...bf16, ...sgd, ...images(5, 448), ...frozenTower }],
  [pixtral, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, ...sgd, ...images(1, 512), ...frozenTower }],
  [pixtral, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, ...sgd, ...images(1, 512, 768) }],
  [pixtral, { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, lora, ...images(1, 512), ...frozenTower }],
  [pixtral, { microBatch: 2, sequenceLength: 4096, ...bf16, lora: everyLora, ...images(3, 512), paddedBatches: true }],
  [
    smolvlm,
    { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, ...sgd, ...images(17, 384), ...frozenSmolvlmTower },
  ],
  [idefics3, { microBatch: 2, sequenceLength: 2048, ...bf16, ...sgd, ...images(17, 384), ...frozenSmolvlmTower }],
  [
    idefics3,
    { microBatch: 2, sequenceLength: 2048, ...bf16, ...ckpt, lora, ...images(17, 384), ...frozenSmolvlmTower },
  ],
  [idefics3, { microBatch: 1, sequenceLength: 2048, ...amp, ...ckpt, ...images(17, 384) }],
]
