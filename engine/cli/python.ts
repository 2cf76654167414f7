/** The interpreter that has PyTorch: MEMORYMARK_PYTHON names it. */
export function pythonCommand(): string {
  return process.env.MEMORYMARK_PYTHON ?? 'python3'
}
