import { bytesPerElement, elements, type Tensor } from '../tape/storage.ts'

export function bytesOf(parameter: Tensor): number {
  return elements(parameter) * bytesPerElement[parameter.dtype]
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

export function trainedOf(parameters: Iterable<Tensor>): Tensor[] {
  return [...parameters].filter(parameter => parameter.requiresGrad)
}
