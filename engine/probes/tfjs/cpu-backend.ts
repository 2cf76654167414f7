/** TensorFlow.js's own CPU backend: really computes, in JavaScript, wherever Node runs. */
import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu'
import * as tf from '@tensorflow/tfjs-core'
import { type Backend, registered } from './backend.ts'
import { cpuKernels } from './cpu-kernels.ts'
import { registerReductionGradients } from './gradients.ts'
import { Ledger } from './ledger.ts'
import { CountedStorage } from './storage.ts'
import { DrawnValues } from './values.ts'

const NAME = 'counted-cpu'

/** Once in a process. */
export function openCpu(): Backend {
  const ledger = new Ledger()
  registered(
    tf.registerBackend(NAME, () => new CountedCpu(ledger)),
    NAME,
  )
  tf.copyRegisteredKernels('cpu', NAME)
  for (const kernel of cpuKernels(NAME)) {
    tf.unregisterKernel(kernel.kernelName, NAME)
    tf.registerKernel(kernel)
  }
  registerReductionGradients()
  const label = `@tensorflow/tfjs-backend-cpu ${tf.version_core}`
  return { name: NAME, label, provenance: 'measured', ledger, values: new DrawnValues(), computes: true }
}

class CountedCpu extends MathBackendCPU {
  constructor(ledger: Ledger) {
    super()
    this.data = new CountedStorage(this, ledger, ({ values }) => {
      if (ArrayBuffer.isView(values)) return values.byteLength
      throw new Error('the CPU backend made a tensor of something else than numbers')
    })
  }
}
