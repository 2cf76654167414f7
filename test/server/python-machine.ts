import { KnownMachine } from '../../server/machine.ts'

/** A machine with Python and PyTorch, and no GPU. */
export function pythonMachine(command: string) {
  const description = {
    kind: 'python' as const,
    python: '3',
    torch: '2',
    transformers: '5',
    hasBitsandbytes: false,
    device: { kind: 'none' as const },
  }
  return { machine: KnownMachine.of(description), python: command, description }
}
