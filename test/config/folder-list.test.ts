import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { firstOf, oncePerList } from '../../engine/config/folder-list.ts'
import { analyze, noSettings } from '../../engine/index.ts'

test('a list is looked through once for each folder that it is of, and another list again', () => {
  const asked: string[] = []
  const scriptsIn = oncePerList((paths, folder) => {
    asked.push(folder)
    return paths.filter(path => path.endsWith('.py'))
  })
  const names = ['train.py', 'notes.md']
  expect(scriptsIn(names, 'src')).toEqual(['src/train.py'])
  expect(scriptsIn(names, 'src')).toEqual(['src/train.py'])
  expect(scriptsIn(names, '.')).toEqual(['train.py'])
  expect(scriptsIn([...names], 'src')).toEqual(['src/train.py'])
  expect(asked).toEqual(['src', '.', 'src'])
})

test('the first few of several lists are each named once, without the one that is left out', () => {
  const lists = [
    ['a', 'b'],
    ['b', 'own', 'c', 'd'],
  ]
  expect(firstOf(lists, 3, 'own')).toEqual(['a', 'b', 'c'])
  expect(firstOf(lists, 9)).toEqual(['a', 'b', 'own', 'c', 'd'])
  expect(firstOf(lists, 0)).toEqual([])
})

/** How often the list of a folder is looked through while its configs are analysed. */
async function timesLookedThrough(configs: number): Promise<number> {
  const texts = new Map(
    Array.from({ length: configs }, (_, index) => [
      `jobs/train_job_${index}.yaml`,
      `model_name_or_path: gpt2\nper_device_train_batch_size: 8\nbf16: true\noutput_dir: out/${index}\n`,
    ]),
  )
  let times = 0
  const names = new Proxy(
    [...texts.keys()].map(path => posix.basename(path)),
    {
      get: (list, key, receiver) => {
        if (key === '0') times += 1
        return Reflect.get(list, key, receiver)
      },
    },
  )
  const files = [...texts].map(([path, text]) => ({ path, text }))
  const sources = {
    readFile: async (path: string) => texts.get(path),
    listFolder: async (folder: string) => (folder === 'jobs' ? names : []),
  }
  const report = await analyze(files, { now: new Date(0), settings: noSettings, sources })
  expect(report.configs.map(({ status }) => status)).toEqual(files.map(() => 'analysed'))
  return times
}

test('fifty configs of one folder look through its list as often as one does', async () => {
  const times = await timesLookedThrough(1)
  expect(times).toBeGreaterThan(0)
  expect(await timesLookedThrough(50)).toBe(times)
})
