/** `/memorymark help`: what can be asked. */
import { inlineCode } from '../../engine/index.ts'
import { accessNeeded } from './access.ts'
import { type Answer, told } from './answer.ts'
import { commandNames, usage } from './command.ts'

export function help(): Answer {
  const lines = commandNames.map(name => {
    const who = accessNeeded(name) === 'write' ? ' (write access)' : ''
    return `- ${inlineCode(`/memorymark ${usage[name].form}`)} ${usage[name].meaning}${who}.`
  })
  return told(
    [
      'Commands for MemoryMark, at the start of a line in a new comment, one command per comment:',
      lines.join('\n'),
    ].join('\n\n'),
  )
}
