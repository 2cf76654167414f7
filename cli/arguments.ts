/** Parses and validates command-line flags. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../engine/base/did-you-mean.ts'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { GIB, MIB } from '../engine/base/units.ts'
import { defaultGpu, findGpuAmong, type Gpu, gpus } from '../engine/gpus/catalogue.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** node:util's parseArgs, with suggestions for mistyped flags. */
export function parseFlags<T extends Options>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(error, Object.keys(options))
  }
}

function usageError(error: TypeError, flags: readonly string[]): MemoryMarkError {
  const unknown = /Unknown option '(--?[^']*)'/.exec(error.message)?.[1]
  const message = unknown ? `"${unknown}" is not an option` : error.message.split(/\.\s/)[0]
  const dashed = /Did you forget .* for '(--[^']*)'/.exec(error.message)?.[1]
  return new MemoryMarkError(
    {
      code: 'usage',
      message: message ?? error.message,
      fix: dashed
        ? `Write a value that begins with a dash as ${dashed}=-1.`
        : didYouMean(
            unknown?.replace(/^-*/, '--') ?? '',
            flags.map(flag => `--${flag}`),
            'Run `memorymark help` for the options.',
          ),
    },
    { cause: error },
  )
}

/** `described`: GPUs of the settings. */
export function gpuFlag(text: string | undefined, described: readonly Gpu[] = [], flag = '--gpu'): Gpu {
  if (text === undefined) return defaultGpu
  const gpu = findGpuAmong(described, text)
  if (gpu !== undefined) return gpu
  const ids = [...gpus, ...described].map(known => known.id)
  throw new MemoryMarkError({
    code: 'unknown-gpu',
    field: flag,
    message: `"${text}" is not a GPU in the catalogue`,
    fix: didYouMean(text, ids, `Known: ${ids.join(', ')}.`),
  })
}

export function oneOf<T extends string>(flag: string, text: string | undefined, allowed: readonly T[]): T | undefined {
  if (text === undefined) return undefined
  const match = allowed.find(value => value === text)
  if (match !== undefined) return match
  throw new MemoryMarkError({
    code: 'unknown-value',
    field: flag,
    message: `"${text}" is not a value for ${flag}`,
    fix: didYouMean(text, allowed, `Use one of: ${allowed.join(', ')}.`),
  })
}

export function numberFlag(
  flag: string,
  text: string | undefined,
  { integer, max }: { integer: boolean; max: number },
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= max && (!integer || Number.isInteger(value))) return value
  throw new MemoryMarkError({
    code: 'out-of-range',
    field: flag,
    message: `"${text}" is not ${integer ? 'a whole number from 1' : 'a number above 0 and up'} to ${max.toLocaleString('en-US')}`,
    fix: `Correct the value of ${flag}.`,
  })
}

/** `22.1GiB`, `512 MiB`. Only binary units, because the GB on a card's box are other units. */
export function memoryFlag(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(GiB|MiB)$/i.exec(text.trim()) ?? []
  const bytes = Math.floor(Number(amount) * (unit?.toLowerCase() === 'gib' ? GIB : MIB))
  if (bytes > 0) return bytes
  throw new MemoryMarkError({
    code: 'out-of-range',
    field: flag,
    message: `"${text}" is not an amount of memory in GiB or MiB`,
    fix: `Write for instance ${flag} 22.1GiB or ${flag} 512MiB.`,
  })
}
