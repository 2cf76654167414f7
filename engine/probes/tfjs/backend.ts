/** A TensorFlow.js backend that has been opened: its name among TensorFlow.js's, and the ledger of its bytes. */
import * as tf from '@tensorflow/tfjs-core'
import type { Provenance } from '../trial.ts'
import type { Ledger } from './ledger.ts'
import type { Values } from './values.ts'
// For its registrations: tfjs-core on its own knows no gradients in Node.
import '@tensorflow/tfjs-layers'

export interface Backend {
  /** What TensorFlow.js registers it as. */
  readonly name: string
  /** What a person is told: the package that computes. */
  readonly label: string
  readonly provenance: Provenance
  readonly ledger: Ledger
  readonly values: Values
  /** Whether its budget is enforced while it computes; the meta backend has none to enforce. */
  readonly computes: boolean
}

/** Makes it the one that TensorFlow.js computes with. */
export async function activate(backend: Backend): Promise<void> {
  if (!(await tf.setBackend(backend.name))) throw new Error(`TensorFlow.js did not start its backend "${backend.name}"`)
}

/** TensorFlow.js keeps the first registration of a name, whose ledger is another. */
export function registered(isNew: boolean, name: string): void {
  if (!isNew) throw new Error(`the backend "${name}" is open already`)
}
