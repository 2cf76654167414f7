/** The Action's inputs, as the runner hands them over. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { root } from '../bundles.ts'

const actionFile = z.object({ inputs: z.record(z.string(), z.object({ default: z.string() })) })

/** Those of action.yml, which count as if the workflow had written them. */
export async function defaultInputs(): Promise<Record<string, string>> {
  const { inputs } = actionFile.parse(parse(await readFile(path.join(root, 'action.yml'), 'utf8')))
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]))
}

/** Of the environment. */
export function inputVariables(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]))
}
