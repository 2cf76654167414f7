/** The interpreter that has PyTorch. */

/** For parseFlags. */
export const pythonOptions = { python: { type: 'string' } } as const

/** `named`: by --python; else MEMORYMARK_PYTHON. */
export function pythonCommand(named: string | undefined): string {
  return named ?? process.env.MEMORYMARK_PYTHON ?? 'python3'
}
