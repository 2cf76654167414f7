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
      'What MemoryMark can be asked, at the start of a line of a new comment, one command a comment:',
      lines.join('\n'),
    ].join('\n\n'),
  )
}
