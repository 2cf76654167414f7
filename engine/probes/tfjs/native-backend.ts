/** TensorFlow's own kernels through `@tensorflow/tfjs-node-gpu` or `@tensorflow/tfjs-node`, where a project has installed them. */
import { createRequire } from 'node:module'
import path from 'node:path'
import util from 'node:util'
import * as tf from '@tensorflow/tfjs-core'
import * as z from 'zod'
import type { Backend } from './backend.ts'
import { registerReductionGradients } from './gradients.ts'
import { Ledger } from './ledger.ts'
import { CountedStorage } from './storage.ts'
import { DrawnValues } from './values.ts'

/** The better one first. */
const nativePackages = ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'] as const

const NAME = 'tensorflow'

/** Fields that NodeJSKernelBackend adds to a buffer. */
interface NativeBuffer {
  readonly shape: readonly number[]
  /** An enum of TensorFlow's, core/framework/types.proto. */
  readonly dtype: number
}
interface NativeBackend extends tf.KernelBackend {
  tensorMap: tf.DataStorage<NativeBuffer>
  readonly isUsingGpuDevice: boolean
}

/** types.proto: the types that TensorFlow.js can hold. */
const bytesByDtype: Readonly<Record<number, number>> = { 1: 4, 3: 4, 8: 8, 9: 8, 10: 1 }

/**
 * Kernels whose result shares their input's buffer in TensorFlow (core/kernels/{reshape_op,shape_ops}.h; cast_op.cc if
 * the type stays).
 */
const sharing = [tf.Reshape, tf.ExpandDims, tf.Cast] as const

/** Opens the best native package that can be found from `folder`; undefined when there is none. */
export async function openNative(folder: string): Promise<Backend | undefined> {
  const require = createRequire(path.join(folder, 'package.json'))
  const found = nativePackages.find(name => resolves(require, name))
  if (found === undefined) return undefined
  // tfjs-node 4.22 calls it; Node 23 removed it.
  Object.assign(util, { isNullOrUndefined: (value: unknown) => value === null || value === undefined })
  // Otherwise TensorFlow allocates the whole GPU, and fails if another process uses part of it.
  process.env.TF_FORCE_GPU_ALLOW_GROWTH ??= 'true'
  const { version } = nativePackage.parse(require(found))
  if (version['tfjs-core'] !== tf.version_core) {
    throw new Error(`${found} brings tfjs-core ${version['tfjs-core']}; MemoryMark needs ${tf.version_core}`)
  }
  registerReductionGradients()
  const ledger = new Ledger()
  if (!(await tf.setBackend(NAME))) throw new Error(`${found} did not start`)
  const native = tf.backend() as NativeBackend
  native.tensorMap = new CountedStorage(native, ledger, bytesOf)
  for (const kernelName of sharing) countAsShared(kernelName, ledger)
  return {
    name: NAME,
    label: `${found} ${version['tfjs-core']} on the ${native.isUsingGpuDevice ? 'GPU' : 'CPU'}`,
    provenance: 'measured',
    ledger,
    values: new DrawnValues(),
    computes: true,
  }
}

const nativePackage = z.object({ version: z.object({ 'tfjs-core': z.string() }) })

function resolves(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}

function bytesOf({ shape, dtype }: NativeBuffer): number {
  const bytes = bytesByDtype[dtype]
  if (bytes === undefined) throw new Error(`TensorFlow made a tensor of type ${dtype}, whose size is not known`)
  return tf.util.sizeFromShape([...shape]) * bytes
}

function countAsShared(kernelName: string, ledger: Ledger): void {
  const kernel = tf.getKernel(kernelName, NAME)
  tf.unregisterKernel(kernelName, NAME)
  tf.registerKernel({
    ...kernel,
    kernelFunc: args => {
      const result = kernel.kernelFunc(args)
      const [x] = Object.values(args.inputs)
      if (x !== undefined && !Array.isArray(result) && result.dtype === x.dtype) ledger.share(result.dataId, x.dataId)
      return result
    },
  })
}
