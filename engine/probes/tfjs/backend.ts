/** A TensorFlow.js backend that has been opened: its name among TensorFlow.js's, and the ledger of its bytes. */
import * as tf from '@tensorflow/tfjs-core'
import type { Provenance } from '../trial.ts'
import type { Ledger } from './ledger.ts'
import type { Values } from './values.ts'
// Registers the gradients, which tfjs-core alone lacks in Node.
import '@tensorflow/tfjs-layers'

export interface Backend {
  /** The name under which TensorFlow.js registers it. */
  readonly name: string
  /** The package's name, for people. */
  readonly label: string
  readonly provenance: Provenance
  readonly ledger: Ledger
  readonly values: Values
  /** Whether it computes values, and so enforces the budget while it runs; the meta backend does not. */
  readonly computes: boolean
}

/** Makes it the one that TensorFlow.js computes with. */
export async function activate(backend: Backend): Promise<void> {
  if (!(await tf.setBackend(backend.name))) throw new Error(`TensorFlow.js did not start its backend "${backend.name}"`)
}

/** Throws if the name was taken: TensorFlow.js would keep the first registration, with another ledger. */
export function registered(isNew: boolean, name: string): void {
  if (!isNew) throw new Error(`the backend "${name}" is open already`)
}
