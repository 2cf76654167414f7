/** Which files of a repository are looked into for training configs. */
import { expect, it } from 'vitest'
import { isCandidatePath } from '../../engine/config/candidate-path.ts'

it.each([
  ['scripts/train.sh', true],
  ['examples/grpo/run.slurm', true],
  ['tests/configs/train.yaml', true],
  ['contests/train.sh', true],
  // Of a tool that is tested, with models of a few layers or for a step or two.
  ['tests/e2e/run_grpo.sh', false],
  ['verl/tests/e2e/ppo/run.slurm', false],
  ['test/Makefile', false],
  ['tests/train.py', false],
])('%s: %s', (path, isCandidate) => {
  expect(isCandidatePath(path)).toBe(isCandidate)
})
