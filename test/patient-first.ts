/** The order of test files: a long one that began last would keep one worker busy while the others have nothing to do. */
import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that give a test or a process minutes begin first; among the rest, as Vitest orders them. */
export class PatientFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const patient = new Set(sorted.filter(({ moduleId }) => minutes.test(readFileSync(moduleId, 'utf8'))))
    return [...patient, ...sorted.filter(file => !patient.has(file))]
  }
}

/** A hundred seconds or more, as timeouts are written. */
const minutes = /\b\d{3}_000\b/
