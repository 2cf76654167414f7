/** Weights by name: which of them train, their types, and those that text does not reach. */
import { parameterPatterns } from '../../config/parameter-pattern.ts'
import { bytesPerElement, type Dtype, type Tensor } from '../storage.ts'
import { Blocks } from './blocks.ts'

const noNames: readonly string[] = []

export class Weights extends Blocks {
  /** Weights that train on images or audio among the tokens. */
  protected towers: Tensor[] = []
  readonly #trained = parameterPatterns(this.spec.trainable?.names ?? noNames)

  idle(features: number, body: (x: Tensor) => Tensor): void {
    const [nodes, known] = [this.nodes, this.parameterNames.length]
    this.nodes = []
    body(this.tensor([1, features], this.weightDtype, []))
    this.nodes = nodes
    for (const name of this.parameterNames.slice(known)) {
      const parameter = this.parameters.get(name)
      if (parameter === undefined) continue
      if (this.spec.trainsTowers && parameter.requiresGrad) this.towers.push(parameter)
      else this.parameters.set(name, { ...parameter, requiresGrad: false })
    }
  }

  /** int64 constants that the module registers as buffers. */
  positionIds(count: number): void {
    this.buffer('position_ids', count * bytesPerElement.int64)
  }

  constant(name: string, features: number): Tensor {
    const storage = this.buffer(name, features * bytesPerElement[this.weightDtype])
    return {
      storage,
      shape: [features],
      batched: false,
      dtype: this.weightDtype,
      requiresGrad: false,
      edge: this.newEdge(),
    }
  }

  /** peft utils/other.py ModulesToSaveWrapper: a trainable copy of a module is used, and the original is kept. */
  protected savedWhole(name: string, shape: readonly number[], original = `${name}.weight`): Tensor | undefined {
    const isSaved = this.spec.lora?.modulesToSave?.includes(name.slice(name.lastIndexOf('.') + 1)) ?? false
    if (!isSaved || (this.pass !== undefined && this.pass.of !== 'policy')) return undefined
    this.weight(original, shape)
    return this.parameter(`${name}.modules_to_save.default.weight`, shape, { trainable: true })
  }

  protected weight(name: string, shape: readonly number[]): Tensor {
    const trainable = this.spec.lora === undefined && this.isTrained(name)
    return this.parameter(name, shape, { trainable, ...(!trainable && this.#frozen) })
  }

  protected isTrained(name: string): boolean {
    return this.spec.trainable === undefined || (this.#trained.kind === 'pattern' && this.#trained.matches(name))
  }

  /** LLaMA-Factory model/adapter.py: weights are loaded in the compute type, and made float32 if they train. */
  get #frozen(): { dtype?: Dtype } {
    const { trainable, loop } = this.spec
    // engine/trainer.py of Ultralytics freezes layers as they are.
    const isPart = trainable !== undefined && loop !== 'ultralytics' && this.pass?.of !== 'copy'
    return isPart && this.autocastDtype !== undefined ? { dtype: this.autocastDtype } : {}
  }

  protected isPolicy(): boolean {
    return this.pass === undefined || this.pass.of === 'policy'
  }
}
