/** The interpreter with PyTorch, where this machine has one; tests that need it are skipped by name elsewhere. */
import { execFileSync } from 'node:child_process'

export const python = process.env.MEMORYMARK_PYTHON ?? 'python3'

export const hasTorch = imports('torch, transformers')
export const hasBitsandbytes = hasTorch && imports('bitsandbytes')
export const hasTimm = hasTorch && imports('timm')

function imports(modules: string): boolean {
  try {
    execFileSync(python, ['-c', `import ${modules}`], { stdio: 'ignore', timeout: 60_000 })
    return true
  } catch {
    return false
  }
}
