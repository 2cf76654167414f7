/**
 * A TensorFlow.js backend without numbers: its kernels compute shapes. TensorFlow.js itself decides what is run, saved and freed,
 * so the bytes are those of the real step, in milliseconds and for any size.
 */
import * as tf from '@tensorflow/tfjs-core'
import { type Backend, registered } from './backend.ts'
import { registerReductionGradients } from './gradients.ts'
import { type DataId, Ledger } from './ledger.ts'
import { metaKernels } from './meta-kernels.ts'
import { stepKernel } from './native-step.ts'
import { CountedStorage } from './storage.ts'
import { shapesOnly } from './values.ts'

const NAME = 'meta'

/** Once in a process. */
export function openMeta(): Backend {
  const ledger = new Ledger()
  registered(
    tf.registerBackend(NAME, () => new MetaBackend(ledger)),
    NAME,
  )
  for (const [kernelName, kernel] of Object.entries(metaKernels)) {
    tf.registerKernel({
      kernelName,
      backendName: NAME,
      kernelFunc: ({ inputs, attrs, backend }) => {
        const result = kernel(inputs, attrs ?? {})
        const meta = backend as MetaBackend
        if ('alias' in result) return meta.aliased(result.alias, result.shape)
        const made = result.map(({ shape, dtype }) => meta.made([...shape], dtype))
        return made.length === 1 && made[0] !== undefined ? made[0] : made
      },
    })
  }
  tf.registerKernel(stepKernel(NAME))
  registerReductionGradients()
  const label = `@tensorflow/tfjs-core ${tf.version_core}, shapes only`
  return { name: NAME, label, provenance: 'traced', ledger, values: shapesOnly, computes: false }
}

interface Buffer {
  readonly dtype: tf.DataType
  readonly elements: number
  references: number
}

class MetaBackend extends tf.KernelBackend {
  readonly #buffers: CountedStorage<Buffer>

  constructor(ledger: Ledger) {
    super()
    this.#buffers = new CountedStorage(this, ledger, ({ elements, dtype }) => elements * tf.util.bytesPerElement(dtype))
  }

  made(shape: number[], dtype: tf.DataType): tf.TensorInfo {
    return { dataId: this.write(null, shape, dtype), shape, dtype }
  }

  aliased({ dataId, dtype }: tf.TensorInfo, shape: readonly number[]): tf.TensorInfo {
    this.incRef(dataId)
    return { dataId, shape: [...shape], dtype }
  }

  override write(_values: unknown, shape: number[], dtype: tf.DataType): DataId {
    const dataId = {}
    this.move(dataId, _values, shape, dtype, 1)
    return dataId
  }

  override move(dataId: DataId, _values: unknown, shape: number[], dtype: tf.DataType, references: number): void {
    this.#buffers.set(dataId, { dtype, elements: tf.util.sizeFromShape(shape), references })
  }

  override readSync(dataId: DataId): Float32Array {
    return new Float32Array(this.#buffers.get(dataId).elements)
  }

  override refCount(dataId: DataId): number {
    return this.#buffers.has(dataId) ? this.#buffers.get(dataId).references : 0
  }

  override incRef(dataId: DataId): void {
    this.#buffers.get(dataId).references++
  }

  override disposeData(dataId: DataId, force = false): boolean {
    if (!this.#buffers.has(dataId)) return true
    const buffer = this.#buffers.get(dataId)
    buffer.references--
    if (!force && buffer.references > 0) return false
    this.#buffers.delete(dataId)
    return true
  }

  override numDataIds(): number {
    return this.#buffers.numDataIds()
  }

  override memory(): { unreliable: boolean } {
    return { unreliable: false }
  }

  override floatPrecision(): 32 {
    return 32
  }

  override dispose(): void {}
}
