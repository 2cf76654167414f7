import { describe, expect, test } from 'vitest'
import { pythonEnvironment, workspaceImports } from '../../engine/probes/python-environment.ts'

const workspace = '/home/runner/work/repo'

describe('the worker’s environment', () => {
  test.each([
    'PYTORCH_ALLOC_CONF',
    'PYTORCH_CUDA_ALLOC_CONF',
    'NCCL_P2P_DISABLE',
    'CUBLAS_WORKSPACE_CONFIG',
    'CUBLASLT_WORKSPACE_SIZE',
    'TORCH_CUDNN_SDPA_DEPRIORITIZED',
    'TORCHINDUCTOR_CACHE_DIR',
    'CUDA_VISIBLE_DEVICES',
    'HIP_VISIBLE_DEVICES',
    'TRITON_CACHE_DIR',
    'OMP_NUM_THREADS',
    'CC',
    'VIRTUAL_ENV',
    'LD_LIBRARY_PATH',
  ])('has %s, which changes what is measured', name => {
    expect(pythonEnvironment({ [name]: 'x' }, workspace)).toHaveProperty(name, 'x')
  })

  test.each([
    'GITHUB_TOKEN',
    'HF_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'INPUT_GITHUB-TOKEN',
    'CCACHE_SECRET',
    'TORCHELASTIC_RUN_ID',
  ])('lacks %s', name => {
    expect(pythonEnvironment({ [name]: 'x' }, workspace)).not.toHaveProperty(name)
  })

  test('searches for modules nowhere in the workspace', () => {
    const PYTHONPATH = [`${workspace}/src`, 'libs', '', '/opt/modules', `${workspace}-other`].join(':')
    expect(pythonEnvironment({ PYTHONPATH }, workspace)).toEqual({
      PYTHONPATH: `/opt/modules:${workspace}-other`,
      PYTHONSAFEPATH: '1',
    })
    expect(workspaceImports({ PYTHONPATH }, workspace)).toEqual([`${workspace}/src`, `${workspace}/libs`, workspace])
  })

  test('finds the interpreter of a virtual environment that PATH names from the workspace', () => {
    const { PATH } = pythonEnvironment({ PATH: '.venv/bin:/usr/bin' }, workspace)
    expect(PATH).toBe(`${workspace}/.venv/bin:/usr/bin`)
  })
})
