/** The answer of `GET /health`, in the earlier tool's fields. */
import * as z from 'zod'
import { GIB } from '../engine/base/units.ts'
import type { Machine } from '../engine/probes/device.ts'
import { deviceKinds } from '../engine/probes/device-kind.ts'

export const health = z.object({
  /** `starting` until the machine is described; fields that depend on it are null until then. */
  status: z.enum(['starting', 'healthy']),
  gpu_available: z.boolean().nullable(),
  gpu_name: z.string().nullable(),
  /** GiB. */
  gpu_memory_total_gb: z.number().nullable(),
  device: z.enum(deviceKinds).nullable(),
  timestamp: z.iso.datetime(),
})
export type Health = z.infer<typeof health>

/** `machine`: undefined while it is being described. */
export function healthOf(machine: Machine | undefined, now: Date): Health {
  const timestamp = now.toISOString()
  const noName = { gpu_name: null, gpu_memory_total_gb: null, timestamp }
  if (machine === undefined) return { status: 'starting', gpu_available: null, device: null, ...noName }
  const device = machine.kind === 'python' ? machine.device : undefined
  switch (device?.kind) {
    case 'cuda':
    case 'mps':
      return {
        status: 'healthy',
        gpu_available: true,
        gpu_name: device.name,
        gpu_memory_total_gb: device.totalBytes / GIB,
        device: device.kind,
        timestamp,
      }
    case 'cpu':
    case 'none':
    case 'broken':
    case undefined:
      return { status: 'healthy', gpu_available: false, device: 'cpu', ...noName }
  }
}
