/** Finds the catalogue's card by what its driver calls it: `NVIDIA A100-SXM4-40GB`, `Tesla T4`. */
import { type Gpu, gpus } from './catalogue.ts'

/** The card whose every word the name has; the one with most words where several do. */
export function gpuNamed(deviceName: string): Gpu | undefined {
  const given = wordsOf(deviceName)
  const named = gpus.filter(({ name }) => [...wordsOf(name)].every(word => given.has(word)))
  return named.toSorted((a, b) => wordsOf(b.name).size - wordsOf(a.name).size)[0]
}

/** `A100 40 GB` and `A100-SXM4-40GB` share the words `a100` and `40gb`; the makers' own names say nothing. */
function wordsOf(name: string): Set<string> {
  const words = name
    .toLowerCase()
    .replaceAll(/(\d+) gb/g, '$1gb')
    .split(/[\s-]+/)
  return new Set(words.filter(word => word !== 'nvidia' && word !== 'tesla'))
}
