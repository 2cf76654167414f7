/** Commands that start as many processes as a row has GPUs. `<first server>` and `<this server>` are for a person to fill in. */
import { serversOf } from './servers.ts'

/** Torch's launcher (torch 2.13 distributed/run.py); on one GPU plain Python. */
export function torchrun(gpus: number, started: string): string {
  const { servers, each } = serversOf(gpus)
  if (gpus === 1) return `python ${started}`
  const several = servers > 1 ? ` --nnodes=${servers} --rdzv_backend=c10d --rdzv_endpoint=<first server>` : ''
  return `torchrun --nproc_per_node=${each}${several} ${started}`
}

/** Variables of tools that start torchrun themselves (LLaMA-Factory launcher.py, ms-swift cli/main.py). */
export function torchrunVariables(gpus: number): string {
  const { servers, each } = serversOf(gpus)
  if (gpus === 1) return ''
  const several = servers > 1 ? `NNODES=${servers} NODE_RANK=<this server> MASTER_ADDR=<first server> ` : ''
  return `${several}NPROC_PER_NODE=${each} `
}
