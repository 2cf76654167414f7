/** Which exchange a training has among its GPUs. */
import { isWrappedByFsdp, modelCopies } from '../../training/batches.ts'
import { isFsdp } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { hasFlatParameters } from '../library-rules.ts'
import type { Storage } from '../tape/storage.ts'
import { DataParallel } from './data-parallel.ts'
import type { Exchange, ExchangeContext } from './exchange.ts'
import { FlatParameters } from './flat-parameters.ts'
import { FullyShardedDataParallel } from './fsdp.ts'
import { Zero } from './zero.ts'
import { Zero3 } from './zero3.ts'

/** FSDP2 on several GPUs, which treats all blocks alike; what the others do with a layer hangs on those before it. */
export function gathersBlocks(spec: TrainingSpec): boolean {
  return spec.step === 'training' && isFsdp(spec.sharding) && !isAlone(spec) && !hasFlatParameters(spec)
}

function isAlone(spec: TrainingSpec): boolean {
  return modelCopies(spec) === 1 && spec.offload === undefined && !isWrappedByFsdp(spec)
}

/** `order`: what the operations of a step use, in order, as `begins` is told. */
export function exchangeOf(context: ExchangeContext, order: () => readonly (readonly Storage[])[]): Exchange {
  const { spec } = context
  if (spec.step !== 'training') return new DataParallel(context)
  switch (spec.sharding ?? 'ddp') {
    case 'ddp':
      return new DataParallel(context)
    case 'fsdp':
    case 'fsdp-grad-op':
      if (gathersBlocks(spec)) return new FullyShardedDataParallel(context)
      return hasFlatParameters(spec) && !isAlone(spec) ? new FlatParameters(context) : new DataParallel(context)
    case 'zero1':
    case 'zero2':
      return new Zero(context)
    case 'zero3':
      return new Zero3(context, order())
  }
}
