import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeptTrialsFolder } from '../../action/kept-trials-folder.ts'
import { readReport, readReports } from '../../action/shards.ts'
import { noConfigs, unanalysed } from './reports.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'memorymark-shards-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function put(name: string, contents: unknown): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), typeof contents === 'string' ? contents : JSON.stringify(contents))
}

describe('the reports of other jobs', () => {
  it('are read wherever the globs find them, in the order of their names', async () => {
    await put('shards/b/report.json', unanalysed('b.yaml'))
    await put('shards/a/report.json', unanalysed('a.yaml'))
    await put('elsewhere/c.json', unanalysed('c.yaml'))
    const { reports, remarks } = await readReports(['shards/**/*.json'], folder)
    expect(reports.flatMap(({ configs }) => configs.map(config => config.path))).toEqual(['a.yaml', 'b.yaml'])
    expect(remarks).toEqual([])
  })

  it('are none where no glob is given', async () => {
    await put('report.json', noConfigs)
    expect(await readReports([], folder)).toEqual({ reports: [], remarks: [] })
  })

  it.each<[string, unknown]>([
    ['is no JSON', '{"schema":'],
    ['is of another schema', { ...noConfigs, schema: 'memorymark.report/v9' }],
    ['has a path of more than 4,096 characters', unanalysed('x'.repeat(4_097))],
    ['has more configs than a report holds', { ...noConfigs, configs: Array(5_001).fill(unanalysed('a').configs[0]) }],
  ])('are left aside by name when one %s', async (_, contents) => {
    await put('bad.json', contents)
    await put('good.json', noConfigs)
    const { reports, remarks } = await readReports(['*.json'], folder)
    expect(reports).toHaveLength(1)
    expect(remarks).toEqual(['bad.json is not a MemoryMark report and was ignored.'])
  })

  it('are read up to 256, and the rest is counted', async () => {
    for (let n = 0; n < 257; n++) await put(`${n}.json`, noConfigs)
    const { reports, remarks } = await readReports(['*.json'], folder)
    expect(reports).toHaveLength(256)
    expect(remarks).toEqual(['Only the first 256 of 257 reports are read.'])
  })
})

describe('what is no file is not read as one', () => {
  it('a link, a folder, a pipe that nobody writes to, and more than 16 MiB', async () => {
    await put('real.json', noConfigs)
    await symlink(path.join(folder, 'real.json'), path.join(folder, 'link.json'))
    await mkdir(path.join(folder, 'folder.json'))
    execFileSync('mkfifo', [path.join(folder, 'pipe.json')])
    await put('huge.json', '{}')
    await truncate(path.join(folder, 'huge.json'), 16 * 1024 * 1024 + 1)
    for (const name of ['link', 'folder', 'pipe', 'huge', 'absent']) {
      expect(await readReport(path.join(folder, `${name}.json`))).toBeUndefined()
    }
    expect(await readReport(path.join(folder, 'real.json'))).toEqual(noConfigs)
  })

  it('nor is a kept trial: a link is seen as something else, and replaced by what is kept next', async () => {
    const kept = new KeptTrialsFolder(folder)
    expect(await kept.read('a'.repeat(64))).toBeUndefined()
    await put('secret', 'secret')
    await symlink(path.join(folder, 'secret'), path.join(folder, `${'a'.repeat(64)}.json`))
    expect(await kept.read('a'.repeat(64))).toBe('')
    await kept.write('a'.repeat(64), 'ours')
    expect(await kept.read('a'.repeat(64))).toBe('ours')
  })
})
