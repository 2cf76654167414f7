/** The interpreter with PyTorch, where this machine has one; tests that need it are skipped by name elsewhere. */
import { execFileSync } from 'node:child_process'
import { inject } from 'vitest'

/** For tests of the start and the end of processes themselves. */
export const coldPython = process.env.MEMORYMARK_PYTHON ?? 'python3'

/** It need not import PyTorch anew (warm-python/). */
export const python = inject('warmPython') ?? coldPython

const installed = modulesOf(['torch', 'transformers', 'bitsandbytes', 'timm'])
export const hasTorch = ['torch', 'transformers'].every(name => installed.has(name))
export const hasBitsandbytes = hasTorch && installed.has('bitsandbytes')
export const hasTimm = hasTorch && installed.has('timm')

/** Those that are installed. They are only looked up: to import them takes seconds of each test file. */
function modulesOf(names: readonly string[]): ReadonlySet<string> {
  const script =
    'import sys; from importlib.util import find_spec; print(*(name for name in sys.argv[1:] if find_spec(name)))'
  try {
    const found = execFileSync(coldPython, ['-c', script, ...names], { encoding: 'utf8', stdio: 'pipe' })
    return new Set(found.trim().split(' '))
  } catch {
    return new Set()
  }
}
