import { expect, test } from 'vitest'
import { createLog } from '../../bot/log.ts'
import { keptLines } from './log-lines.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const { sink, text } = keptLines()
  write(createLog('info', sink))
  return text()
}

const hostile = [
  'configs/\u202egnp.yaml',
  'a\u200bb',
  '\u2066x\u2069',
  '\u0085',
  '\u009b31m',
  '\u{e0041}',
  '\u2028',
  '\ud800',
  '\x7f',
]

test.each(hostile)('%j is escaped wherever it stands, and read again as it was', name => {
  const line = logged(log =>
    log.child({ repository: name }).warn({ path: name, err: new Error(name), [name]: 1 }, name),
  )

  expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+\n$/u)
  expect(JSON.parse(line)).toMatchObject({ repository: name, path: name, msg: name, [name]: 1, err: { message: name } })
})

test('letters of any script stay as they are', () => {
  expect(logged(log => log.info({ path: 'конфиг/设置😀.yaml' }, 'é'))).toContain('конфиг/设置😀.yaml')
})
