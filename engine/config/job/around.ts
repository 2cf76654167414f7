/** Jobs that start a launcher: `srun bash scripts/train.sh` in a batch script. */
import { posix } from 'node:path'
import type { SourceFile } from '../reading.ts'
import { commandsIn } from '../shell/commands.ts'
import type { Given } from '../shell/given.ts'
import { ShellText } from '../shell/shell-text.ts'
import { shellIn } from '../shell/snippets.ts'
import { isPlausibleName, placesOf } from '../sources.ts'
import { jobRequest } from './job.ts'
import type { AskedCard } from './request.ts'

export interface JobAround {
  readonly file: SourceFile
  readonly card: AskedCard
}

const shells = /^(?:(?:ba|z)?sh|source|\.|srun|exec|time|nohup|env)$/

/** The jobs among `files` that name a GPU and start the launcher at `path`. */
export function jobsAround(path: string, files: readonly SourceFile[]): readonly JobAround[] {
  return files.flatMap(file => {
    if (file.path === path || !file.text.includes(posix.basename(path))) return []
    const request = jobRequest(file)
    if (request?.card === undefined || !starts(file, path, request.variables)) return []
    return [{ file, card: request.card }]
  })
}

function starts(file: SourceFile, path: string, variables: Parameters<typeof commandsIn>[1]): boolean {
  const text = file.text.replace(/^\uFEFF/, '')
  const commands = commandsIn(new ShellText(file.path, shellIn(file.path, text)), variables)
  const isIt = ({ text: word, why }: Given) =>
    why === undefined && isPlausibleName(word) && placesOf(word, file.path).includes(path)
  return commands.some(({ words }) => {
    const [first, ...rest] = words
    if (first === undefined) return false
    return isIt(first) || (first.why === undefined && shells.test(posix.basename(first.text)) && rest.some(isIt))
  })
}
