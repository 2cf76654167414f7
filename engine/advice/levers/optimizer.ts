/** Levers on optimizer states and on gradients held until the optimizer's step. */
import { startsUnderFsdp } from '../../estimate/library-rules.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Lever } from '../lever.ts'
import { isWhole } from './training-kinds.ts'

const isPlainAdam = ({ optimizer }: TrainingSpec) => /^adamw(?:-fused|-loop)?$/.test(optimizer)
const isAdam = (spec: TrainingSpec) => isPlainAdam(spec) || spec.optimizer === 'paged-adamw'
/** As bitsandbytes' 32-bit optimizers do; PyTorch's keep their state in the type of what trains. */
const keepsFloat32State = ({ precision, lora }: TrainingSpec) =>
  lora === undefined ? precision !== 'bf16' : lora.inWeightsType !== true
/** ZeRO runs any optimizer, since it gives each GPU a flat part of the parameters. */
const takesOptimizers = (spec: TrainingSpec) => isWhole(spec) || spec.sharding?.startsWith('zero') === true

export const optimizerLevers: readonly Lever[] = [
  {
    id: 'fused-optimizer',
    effect: 'none',
    group: 'optimizer',
    settings: ['optimizer'],
    applies: ({ optimizer }) => optimizer === 'adamw' || optimizer === 'adamw-loop',
    isMade: after => after.optimizer === 'adamw-fused',
  },
  {
    id: 'optimizer-in-backward',
    effect: 'none',
    group: 'optimizer-in-backward',
    settings: ['optimizerInBackward'],
    // torchtune: recipes/full_finetune_single_device.py refuses it with accumulation.
    applies: spec => spec.optimizerInBackward !== true && spec.gradientAccumulation === 1 && spec.lora === undefined,
    isMade: after => after.optimizerInBackward === true,
  },
  {
    id: '8-bit-optimizer',
    effect: 'numerics',
    group: 'optimizer',
    settings: ['optimizer', 'eightBitEmbeddings'],
    applies: spec => isAdam(spec) && takesOptimizers(spec) && spec.offload === undefined,
    isMade: after => after.optimizer === 'adamw-8bit',
  },
  {
    id: 'paged-8-bit-optimizer',
    effect: 'numerics',
    group: 'optimizer',
    settings: ['optimizer', 'eightBitEmbeddings'],
    applies: spec =>
      (isAdam(spec) || spec.optimizer === 'adamw-8bit') && takesOptimizers(spec) && spec.offload === undefined,
    isMade: after => after.optimizer === 'paged-adamw-8bit',
  },
  {
    id: 'paged-optimizer',
    effect: 'none',
    group: 'optimizer',
    settings: ['optimizer'],
    applies: spec =>
      isPlainAdam(spec) && takesOptimizers(spec) && spec.offload === undefined && keepsFloat32State(spec),
    isMade: after => after.optimizer === 'paged-adamw',
  },
  {
    id: 'adafactor',
    effect: 'changes-the-result',
    group: 'optimizer',
    settings: ['optimizer'],
    applies: isAdam,
    isMade: after => after.optimizer === 'adafactor' && startsUnderFsdp(after),
  },
]
