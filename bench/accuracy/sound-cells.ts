/** wav2vec 2.0 and HuBERT, whose length is samples of sound, 16,000 in a second. */
import type { TrainedPart } from '../../engine/training/spec.ts'
import type { Cell } from './cell.ts'

interface Frozen {
  readonly trainable: TrainedPart
}

const ckpt = { gradientCheckpointing: true } as const
const trainer = { loop: 'trainer' } as const
const amp = { precision: 'amp-bf16', ...trainer } as const
const padded = { paddedBatches: true } as const
const classes = { task: 'audio-classification', labels: 8 } as const
const lora = { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0.1 }

/** What freeze_feature_encoder leaves. */
const frozenReader: Frozen = {
  trainable: {
    names: ['.*feature_projection', '.*encoder', '.*masked_spec_embed', 'lm_head', 'projector', 'classifier'],
    inputGradients: false,
    keepsType: true,
  },
}

/** The same, frozen parameter by parameter: the sound still requires gradients. */
const frozenByHand: Frozen = { trainable: { ...frozenReader.trainable, inputGradients: true } }

export const soundCells: readonly Cell[] = [
  ['facebook/wav2vec2-base', { microBatch: 8, sequenceLength: 160_000 }],
  ['facebook/wav2vec2-base', { microBatch: 4, sequenceLength: 320_000, ...trainer, targetLength: 400 }],
  ['facebook/wav2vec2-base', { microBatch: 8, sequenceLength: 160_000, ...amp }],
  ['facebook/wav2vec2-base', { microBatch: 8, sequenceLength: 160_000, precision: 'amp-fp16', ...trainer, ...ckpt }],
  ['facebook/wav2vec2-base', { microBatch: 16, sequenceLength: 160_000, ...amp, ...frozenReader }],
  ['facebook/wav2vec2-base', { microBatch: 8, sequenceLength: 160_000, ...trainer, ...frozenReader, ...ckpt }],
  ['facebook/wav2vec2-base', { microBatch: 8, sequenceLength: 160_000, ...amp, ...frozenByHand }],
  ['facebook/wav2vec2-base', { microBatch: 32, sequenceLength: 16_000, ...amp, ...classes, ...frozenReader }],
  ['facebook/wav2vec2-base', { microBatch: 8, sequenceLength: 80_000, ...classes, ...padded, attention: 'eager' }],
  ['facebook/wav2vec2-base', { microBatch: 8, sequenceLength: 160_000, step: 'forward-backward' }],
  ['facebook/wav2vec2-base-960h', { microBatch: 8, sequenceLength: 240_000, precision: 'bf16', ...trainer, lora }],
  ['facebook/wav2vec2-large-960h', { microBatch: 4, sequenceLength: 240_000, precision: 'bf16', ...trainer }],
  ['facebook/wav2vec2-xls-r-300m', { microBatch: 8, sequenceLength: 160_000, ...amp, ...padded, ...frozenReader }],
  [
    'facebook/wav2vec2-xls-r-300m',
    { microBatch: 16, sequenceLength: 160_000, precision: 'amp-fp16', ...trainer, ...ckpt, ...padded, ...frozenReader },
  ],
  ['facebook/wav2vec2-xls-r-300m', { microBatch: 4, sequenceLength: 320_000, ...trainer, ...ckpt, ...padded }],
  ['facebook/wav2vec2-large-xlsr-53', { microBatch: 4, sequenceLength: 320_000, ...amp, gradientAccumulation: 2 }],
  ['facebook/wav2vec2-xls-r-1b', { microBatch: 4, sequenceLength: 320_000, ...amp, ...ckpt, optimizer: 'adamw-8bit' }],
  ['facebook/hubert-base-ls960', { microBatch: 8, sequenceLength: 160_000, ...trainer }],
  [
    'facebook/hubert-base-ls960',
    { microBatch: 2, sequenceLength: 16_000, step: 'forward-backward', dropout: true, ...ckpt },
  ],
  ['facebook/hubert-base-ls960', { microBatch: 16, sequenceLength: 80_000, ...amp, ...classes, ...frozenReader }],
  ['facebook/hubert-large-ls960-ft', { microBatch: 4, sequenceLength: 160_000, ...amp, ...classes, ...ckpt }],
  ['facebook/hubert-large-ls960-ft', { microBatch: 4, sequenceLength: 240_000, ...amp, ...padded }],
  [
    'facebook/hubert-large-ll60k',
    { microBatch: 8, sequenceLength: 160_000, precision: 'bf16', ...trainer, ...ckpt, ...padded, ...frozenReader },
  ],
  ['facebook/hubert-xlarge-ll60k', { microBatch: 2, sequenceLength: 320_000, precision: 'bf16', optimizer: 'sgd' }],
]
