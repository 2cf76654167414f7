/**
 * Processes under test see a CUDA card: stand-in/sitecustomize.py answers for `torch.cuda` over real PyTorch on the CPU, and
 * stand-in/nvidia-smi for the driver.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { vi } from 'vitest'
import { GIB, MIB } from '../../engine/base/units.ts'

/** What sitecustomize.py reads, there explained. */
export interface Card {
  readonly totalBytes: number
  readonly contextBytes: number
  readonly lateContextBytes: number
  readonly otherBytes: number
  readonly name: string
  readonly count: number
  readonly startError: string
  readonly hip: string
}

export const CARD_BYTES = 24 * GIB
export const CONTEXT_BYTES = 400 * MIB

/** A folder for PYTHONPATH and PATH. It lies outside the repository: a worker searches no workspace for modules. */
export class CudaStandIn implements AsyncDisposable {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async install(): Promise<CudaStandIn> {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-cuda-'))
    await cp(path.join(import.meta.dirname, 'stand-in'), folder, { recursive: true })
    return new CudaStandIn(folder)
  }

  /** The environment of a process that has the card. */
  env(card: Partial<Card> = {}): Record<string, string> {
    const otherMib = Math.round((card.otherBytes ?? 0) / MIB)
    return {
      PATH: `${this.folder}${path.delimiter}${process.env.PATH}`,
      PYTHONPATH: this.folder,
      PYTHON_CUDA_STAND_IN: JSON.stringify({ totalBytes: CARD_BYTES, contextBytes: CONTEXT_BYTES, ...card }),
      NVIDIA_STAND_IN_MIB: `${otherMib}`,
    }
  }

  /** Gives the card to processes started from here on; `vi.unstubAllEnvs` takes it away. */
  insert(card: Partial<Card> = {}): void {
    for (const [name, value] of Object.entries(this.env(card))) vi.stubEnv(name, value)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true })
  }
}
