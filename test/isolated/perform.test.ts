import { expect, test } from 'vitest'
import { performTask } from '../../engine/isolated/perform.ts'
import type { Question } from '../../engine/isolated/tasks.ts'

test('what several configs of an order hang on is asked for once', async () => {
  const text = 'memorymark:\n  model: bert\n  batch_size: 8\n  sequence_length: 128\n'
  const questions: Question[] = []
  const results: unknown[] = []
  const host = {
    step: async (result: unknown) => void results.push(result),
    ask: async (asked: unknown) => {
      const question = asked as Question
      questions.push(question)
      if (question.kind === 'folder') return ['requirements.txt']
      return question.kind === 'file' && question.path.endsWith('.txt') ? 'transformers==4.46.3\n' : undefined
    },
    signal: new AbortController().signal,
  }
  await performTask(
    {
      kind: 'task',
      task: { kind: 'judge', options: { now: new Date() } },
      files: [1, 2, 3].map(number => ({ path: `configs/${number}.yaml`, text })),
      asks: { file: true, folder: true, hub: false, base: false },
    },
    host,
  )
  const folders = questions.flatMap(question => (question.kind === 'folder' ? [question.path] : []))
  expect(folders).toEqual([...new Set(folders)])
  expect(folders).toEqual(expect.arrayContaining(['.', 'configs', 'configs/requirements', 'requirements']))
  const files = questions.flatMap(question => (question.kind === 'file' ? [question.path] : []))
  expect(files).toEqual([...new Set(files)])
  expect(files).toContain('configs/requirements.txt')
  expect(results).toMatchObject(Array(3).fill({ kind: 'configs', results: [{ status: 'analysed' }] }))
})
