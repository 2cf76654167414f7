/** What reads the configs of rarer tools in the playground, beside the engine's own. */
import { expect, test } from 'vitest'
import { FieldReader } from '../../engine/config/fields/fields.ts'
import { Section } from '../../engine/config/text/section.ts'
import * as late from '../../playground/late-readers.ts'
import * as playground from '../../playground/tool-readers.ts'

test('it is missed until it is provided, and then it is the engine’s own', () => {
  const read = () => playground.readVerl(Section.of([]), new FieldReader('sft.yaml'), () => ({ kind: 'unknown' }))
  expect(read).toThrow(playground.ReadersNotLoaded)
  playground.provideReaders(late)
  expect(read()).toEqual(late.readVerl(Section.of([]), new FieldReader('sft.yaml'), () => ({ kind: 'unknown' })))
})
