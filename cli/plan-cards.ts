/** The cards that `memorymark plan --gpus` names, and how many of them there are where it says so. */
import { didYouMean } from '../engine/base/did-you-mean.ts'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { findGpuAmong, type Gpu, gpus } from '../engine/gpus/catalogue.ts'
import { cardsThatMayBe } from '../engine/gpus/doubtful-names.ts'
import { gpuFlag } from './arguments.ts'

export interface NamedCards {
  readonly cards: readonly Gpu[]
  /** How a name was taken that leaves open which card it is. */
  readonly taken: readonly string[]
  /** The most GPUs that there are: 8 of `8x a100` and `h100:8`. */
  readonly count?: number
}

/** `all`, or cards with commas or spaces between them, each perhaps with a number: `8x a100-80gb`, `h100:8`. */
export function namedCards(written: string | undefined, known: readonly Gpu[], described: readonly Gpu[]): NamedCards {
  if (written === undefined || written.trim() === 'all') return { cards: known, taken: [] }
  const names = namesIn(written, described).map(name => ({ written: name, ...counted(name, described) }))
  const [number] = names.flatMap(({ name }) => COUNT.exec(name) ?? [])
  if (number !== undefined) throw numberForCards(written, number, described)
  const found = names.map(({ name }) => ({ name, gpu: gpuFlag(name, described, '--gpus') }))
  const ids = new Set(found.map(({ gpu }) => gpu.id))
  const counts = [...new Set(names.flatMap(({ count }) => count ?? []))]
  if (counts.length > 1) throw severalCounts(written, Math.max(...counts))
  const taken = found.flatMap(({ name, gpu }) => {
    const either = gpu.id === name.toLowerCase() ? undefined : cardsThatMayBe(name)
    return either === undefined ? [] : [`“${name}” is taken for the ${gpu.name}; it may be ${either}.`]
  })
  return { cards: known.filter(({ id }) => ids.has(id)), taken, ...(counts[0] !== undefined && { count: counts[0] }) }
}

/** `8`, `1-8`, `1 to 8`. */
const COUNT = /^(?:\d{1,9}(?: ?(?:-|–|to|\.\.) ?))?\d{1,9}$/

function namesIn(written: string, described: readonly Gpu[]): readonly string[] {
  const names = written
    .split(',')
    .map(name => name.trim())
    .filter((name, _, { length }) => name !== '' || length === 1)
  return names.flatMap(name => {
    const words = name.split(/\s+/)
    return words.length > 1 && words.every(word => findGpuAmong(described, counted(word, described).name))
      ? words
      : [name]
  })
}

function counted(written: string, described: readonly Gpu[]): { readonly name: string; readonly count?: number } {
  if (findGpuAmong(described, written) !== undefined) return { name: written }
  const before = /^(\d{1,4}) ?[x×*]/i.exec(written)
  const behind = /[x×*:] ?(\d{1,4})$/i.exec(written)
  const count = Number(before?.[1] ?? behind?.[1] ?? 0)
  if (count === 0) return { name: written }
  return { name: (before ? written.slice(before[0].length) : written.slice(0, behind?.index)).trim(), count }
}

function numberForCards(written: string, number: string, described: readonly Gpu[]): MemoryMarkError {
  const ids = [...gpus, ...described].map(({ id }) => id)
  const most = number.split(/\D/).at(-1)
  return new MemoryMarkError({
    code: 'usage',
    field: '--gpus',
    message: `"${written}" is a number, and --gpus names cards here`,
    fix: didYouMean(
      number,
      ids,
      `Write --gpus all or --gpus a100-80gb,h100, and --max-gpus ${most} for how many there may be; or both in one, as 8x a100-80gb.`,
    ),
  })
}

function severalCounts(written: string, most: number): MemoryMarkError {
  return new MemoryMarkError({
    code: 'usage',
    field: '--gpus',
    message: `"${written}" gives several numbers of GPUs, and a plan has one for all cards`,
    fix: `Write the cards alone, and --max-gpus ${most}; or plan each by itself.`,
  })
}
