import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { analysedConfig, REPORT_SCHEMA, report } from '../../engine/report/schema.ts'

const path = new URL('../../bench/configs/training/huggingface/grpo.yaml', import.meta.url)

test('a report of version 1 is read as if it had been written today', async () => {
  const written = await analyze([{ path: 'grpo.yaml', text: readFileSync(path, 'utf8') }], { now: new Date(0) })
  const [config] = written.configs
  const { method } = analysedConfig.parse(config).spec
  if (method?.kind !== 'online') throw new Error('GRPO is an online method')
  const earlier = JSON.stringify(written)
    .replace(REPORT_SCHEMA, 'memorymark.report/v1')
    .replace('"kind":"online"', '"kind":"answers"')
    .replace('"completionLength"', '"answerLength"')
    .replace('"completions"', '"count"')
  expect(earlier).not.toContain('completionLength')
  expect(report.parse(JSON.parse(earlier))).toEqual(written)
})
