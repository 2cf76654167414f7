/** What this machine offers for PyTorch: interpreter, libraries, device. */
import * as z from 'zod'
import { endedBy } from './ending.ts'
import { PythonWorker } from './worker.ts'

const bytes = z.number().int().min(0)

const cudaDevice = z.object({
  kind: z.literal('cuda'),
  name: z.string(),
  /** GPUs that PyTorch sees on this machine; the facts describe the first. */
  count: z.number().int().positive(),
  /** With a memory limit, that limit. */
  totalBytes: bytes,
  /** Bytes of the CUDA context once libraries are loaded; with a memory limit, those of the card that it plays. */
  contextBytes: bytes,
  /** Bytes that other processes held at the start. */
  otherBytes: bytes,
  /** Whether a memory limit makes it play a smaller card. */
  isCapped: z.boolean(),
  /** Bytes that PyTorch may reserve. */
  usableBytes: bytes,
  /** What PyTorch allocates for cuBLAS, once per handle and stream. */
  cublasWorkspaceBytes: bytes,
  driver: z.string(),
  /** The version that PyTorch was built for; null if it was built for ROCm. */
  cuda: z.string().nullable(),
  rocm: z.string().nullable(),
  computeCapability: z.tuple([z.number().int(), z.number().int()]),
})

const device = z.discriminatedUnion('kind', [
  cudaDevice,
  z.object({ kind: z.literal('mps'), name: z.string(), totalBytes: bytes, contextBytes: bytes }),
  z.object({ kind: z.literal('cpu'), name: z.string() }),
  z.object({ kind: z.literal('none') }),
  /** A GPU that PyTorch cannot start, such as one whose driver is too old. */
  z.object({ kind: z.literal('broken'), why: z.string() }),
])
export type TorchDevice = z.infer<typeof device>

export const machine = z.object({
  python: z.string(),
  torch: z.string(),
  transformers: z.string(),
  hasBitsandbytes: z.boolean(),
  device,
})
export type TorchMachine = z.infer<typeof machine>

/** Importing PyTorch from a cold disk is what takes time. */
export const START_TIMEOUT_MILLIS = 120_000

export type Machine =
  | ({ readonly kind: 'python' } & TorchMachine)
  /** No interpreter, or one without PyTorch and transformers. */
  | { readonly kind: 'no-python'; readonly why: string }

/** If the signal is aborted before Python has answered, Python is ended and counts as missing. */
export async function describeMachine(python: string, signal?: AbortSignal): Promise<Machine> {
  await using worker = new PythonWorker(python)
  const answer = await endedBy(signal, worker, worker.ask('device', {}, machine, START_TIMEOUT_MILLIS))
  switch (answer.kind) {
    case 'done':
      return { kind: 'python', ...answer.result }
    case 'failed':
    case 'died':
      return { kind: 'no-python', why: answer.message }
    case 'timed-out':
      return { kind: 'no-python', why: `no answer within ${answer.afterMillis / 1_000} s` }
  }
}

/** GPUs on which trials can have one process each. Any number of processes can share a CPU, each within its memory limit. */
export function gpusOf(machine: Machine): number {
  if (machine.kind === 'no-python') return 0
  switch (machine.device.kind) {
    case 'cuda':
      return machine.device.count
    case 'cpu':
      return Number.POSITIVE_INFINITY
    case 'mps':
      return 1
    case 'none':
    case 'broken':
      return 0
  }
}

/** `torch 2.13.0, transformers 5.18.0, CUDA 13.0, driver 580.65`. */
export function softwareOf({ torch, transformers, device }: TorchMachine): string {
  const cuda =
    device.kind === 'cuda'
      ? [device.rocm === null ? `CUDA ${device.cuda}` : `ROCm ${device.rocm}`, `driver ${device.driver}`]
      : []
  return [`torch ${torch}`, `transformers ${transformers}`, ...cuda].join(', ')
}
