/** The lever at PyTorch's allocator: an environment variable, not a setting of the config. */
import { isBefore } from '../../training/versions.ts'
import type { Lever } from '../lever.ts'

export const allocatorLevers: readonly Lever[] = [
  {
    id: 'expandable-segments',
    effect: 'none',
    group: 'allocator',
    settings: ['expandableSegments'],
    applies: spec => spec.expandableSegments !== true && !isBefore(spec.versions, 'torch', '2.2'),
    isMade: after => after.expandableSegments === true,
  },
]
