/** How GPUs are distributed over servers. */

/** As providers rent them: DGX and HGX servers, and their like. */
const GPUS_PER_SERVER = 8

export function serversOf(gpus: number): { readonly servers: number; readonly each: number } {
  const servers = Math.ceil(gpus / GPUS_PER_SERVER)
  return { servers, each: gpus / servers }
}
