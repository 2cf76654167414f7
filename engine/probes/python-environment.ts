/** What the Python worker gets of our environment: all that decides what it measures, and nothing of the workspace or our secrets. */
import path from 'node:path'

/**
 * How it starts and finds its packages; which GPUs it sees; and what changes the libraries' ways on them: PyTorch's allocator, NCCL,
 * cuBLAS, cuDNN and their ROCm counterparts, compilers for kernels.
 */
const passed = [
  /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|VIRTUAL_ENV|PYTHON\w*|LD_LIBRARY_PATH|XDG_CACHE_HOME|HF_HOME)$/,
  /^(?:CUDA|NVIDIA|HIP|ROCR|ROCM|HSA|GPU)_\w+$/,
  // Not torchrun's own: a worker that finds those takes itself for one of several.
  /^(?:PYTORCH|TORCH(?!ELASTIC)|NCCL|RCCL|GLOO|CUBLAS|CUBLASLT|CUDNN|HIPBLASLT|MIOPEN|TRITON|BNB|OMP|MKL)(?:_?[A-Z]\w*)?$/,
  /^(?:CC|CXX)$/,
]

/** A module search path that lies in the workspace could replace PyTorch itself with what a pull request brings. */
export function pythonEnvironment(env: NodeJS.ProcessEnv, workspace: string): NodeJS.ProcessEnv {
  const given = Object.entries(env).filter(([name]) => passed.some(pattern => pattern.test(name)))
  return {
    ...Object.fromEntries(given),
    ...(env.PATH !== undefined && { PATH: absolute(env.PATH, workspace).join(path.delimiter) }),
    ...(env.PYTHONPATH !== undefined && {
      PYTHONPATH: absolute(env.PYTHONPATH, workspace)
        .filter(folder => !isInside(folder, workspace))
        .join(path.delimiter),
    }),
    // From Python 3.11 on: neither the current folder nor a script's own is searched for modules.
    PYTHONSAFEPATH: '1',
  }
}

/** The folders of PYTHONPATH in the workspace, which are for the user's own step alone. */
export function workspaceImports(env: NodeJS.ProcessEnv, workspace: string): string[] {
  return absolute(env.PYTHONPATH ?? '', workspace).filter(folder => isInside(folder, workspace))
}

/** An empty entry is the current folder. */
function absolute(searched: string, workspace: string): string[] {
  return searched === '' ? [] : searched.split(path.delimiter).map(folder => path.resolve(workspace, folder))
}

function isInside(folder: string, workspace: string): boolean {
  const relative = path.relative(workspace, folder)
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative)
}
