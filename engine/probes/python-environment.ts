/**
 * The environment variables that the Python worker gets: those that affect what it measures, but nothing from the
 * workspace and no secrets.
 */
import path from 'node:path'

/**
 * Variables for starting Python and finding packages, for visible GPUs, and for the libraries' behaviour: PyTorch's
 * allocator, NCCL, cuBLAS, cuDNN, their ROCm counterparts, and kernel compilers.
 */
const passed = [
  /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|VIRTUAL_ENV|PYTHON\w*|LD_LIBRARY_PATH|XDG_CACHE_HOME|HF_HOME)$/,
  /^(?:CUDA|NVIDIA|HIP|ROCR|ROCM|HSA|GPU)_\w+$/,
  // Without torchrun's own variables, by which a worker would take itself for one of several ranks.
  /^(?:PYTORCH|TORCH(?!ELASTIC)|NCCL|RCCL|GLOO|CUBLAS|CUBLASLT|CUDNN|HIPBLASLT|MIOPEN|TRITON|BNB|OMP|MKL)(?:_?[A-Z]\w*)?$/,
  /^(?:CC|CXX)$/,
]

/** Drops module search paths within the workspace, where a pull request could replace PyTorch itself. */
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
    // From Python 3.11 on, neither the working directory nor the script's folder is searched for modules.
    PYTHONSAFEPATH: '1',
  }
}

/** The PYTHONPATH folders within the workspace, from which only the user's own step may import. */
export function workspaceImports(env: NodeJS.ProcessEnv, workspace: string): string[] {
  return absolute(env.PYTHONPATH ?? '', workspace).filter(folder => isInside(folder, workspace))
}

/** An empty entry stands for the working directory. */
function absolute(searched: string, workspace: string): string[] {
  return searched === '' ? [] : searched.split(path.delimiter).map(folder => path.resolve(workspace, folder))
}

function isInside(folder: string, workspace: string): boolean {
  const relative = path.relative(workspace, folder)
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative)
}
