/** Levers on weights: their precision, and which are trainable. */
import { isSameData } from '../../base/same-data.ts'
import { hasBfloat16 } from '../../gpus/catalogue.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Lever } from '../lever.ts'
import { isText, isWhole } from './training-kinds.ts'

const bySixteenBits: readonly (keyof TrainingSpec)[] = ['precision', 'autocasts', 'inFloat16']
const adapted: readonly (keyof TrainingSpec)[] = [
  ...(['lora', 'precision', 'autocasts', 'inFloat16', 'trainable', 'method', 'trainsTowers'] as const),
]

export const weightLevers: readonly Lever[] = [
  {
    id: 'bf16-autocast',
    effect: 'numerics',
    group: 'precision',
    settings: bySixteenBits,
    applies: ({ precision }, { gpu }) => (precision === 'fp32' || precision === 'tf32') && hasBfloat16(gpu),
    isMade: after => after.precision === 'amp-bf16' || after.precision === 'bf16-master',
  },
  {
    id: 'fp16-autocast',
    effect: 'numerics',
    group: 'precision',
    settings: bySixteenBits,
    applies: ({ precision }, { gpu }) => precision === 'fp32' && !hasBfloat16(gpu),
    isMade: after => after.precision === 'amp-fp16',
  },
  {
    id: 'bf16-weights',
    effect: 'numerics',
    group: 'precision',
    settings: bySixteenBits,
    // Under DeepSpeed and most of FSDP 32-bit copies are not the config's to leave out; of verl they are the type of its shards.
    applies: ({ precision, loop }, { gpu }) =>
      precision !== 'bf16' && (precision !== 'bf16-master' || loop === 'verl') && hasBfloat16(gpu),
    isMade: after => after.precision === 'bf16',
  },
  {
    id: 'lora',
    effect: 'changes-the-result',
    group: 'adapters',
    settings: adapted,
    applies: spec => isText(spec) && spec.lora === undefined,
    isMade: after => after.lora !== undefined && after.quantization === undefined,
  },
  {
    id: 'qlora',
    effect: 'changes-the-result',
    alsoRounds: true,
    group: 'adapters',
    settings: [...adapted, 'quantization', 'quantizesOnLoad'],
    applies: spec => isText(spec) && spec.lora === undefined,
    isMade: after => after.lora !== undefined && after.quantization?.startsWith('nf4') === true,
  },
  {
    id: '4-bit-base',
    effect: 'numerics',
    group: 'adapters',
    settings: ['quantization', 'quantizesOnLoad', 'precision', 'autocasts', 'inFloat16', 'lora', 'optimizer'],
    applies: spec =>
      spec.lora !== undefined && (spec.quantization === undefined || spec.quantization === 'int8') && isWhole(spec),
    // Only the type of the adapters may change as well, and LitGPT then pages the optimizer's state.
    isMade: (after, before) =>
      after.quantization?.startsWith('nf4') === true &&
      (after.optimizer === before.optimizer || after.modelCode === 'litgpt') &&
      isSameData({ ...after.lora, inWeightsType: 0 }, { ...before.lora, inWeightsType: 0 }),
  },
  {
    id: 'freeze-embeddings',
    effect: 'changes-the-result',
    group: 'trained-part',
    settings: ['trainable'],
    applies: spec => spec.task === 'causal-lm' && spec.lora === undefined && spec.trainable === undefined,
    isMade: after => after.trainable !== undefined,
  },
]
